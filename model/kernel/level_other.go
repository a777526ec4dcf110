//go:build !amd64 && !arm64 && !js

package kernel

import "unsafe"

func available() []*level { return []*level{portable} }

func invoke(unsafe.Pointer, uintptr) { panic("kernel: no vector kernels for this architecture") }
