//go:build amd64 || arm64

package kernel

import "unsafe"

// invoke calls the kernel at an address with a pointer to its arguments. The arguments do not
// escape, so they stay on the stack.
//
//go:noescape
func invoke(args unsafe.Pointer, kernel uintptr)
