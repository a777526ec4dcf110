//go:build amd64 || arm64

package kernel

import "unsafe"

// invoke calls the kernel at the given address with a pointer to its arguments. The arguments do
// not escape to the heap.
//
//go:noescape
func invoke(args unsafe.Pointer, kernel uintptr)
