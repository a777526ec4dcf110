//go:build amd64 || arm64

package kernel

import "unsafe"

// invoke calls the kernel at an address with a pointer to its arguments, which stay on the
// stack where they are.
//
//go:noescape
func invoke(args unsafe.Pointer, kernel uintptr)
