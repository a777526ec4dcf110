//go:build amd64 || arm64

package detmath

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// exp32Args is what exp32Vectors reads; model/kernel/gen finds the fields by their names.
type exp32Args struct {
	x         unsafe.Pointer // float32, which are replaced
	constants unsafe.Pointer
	n         int // a quarter of the count of numbers, at least 1
	done      int // result: how many numbers were replaced; 0 at the call
}

// exp32Vectors replaces numbers, four at a time, by their [Exp32]. It stops before the
// first four with a number beyond ±87.
//
//go:noescape
func exp32Vectors(a *exp32Args)

// exp32Start replaces leading vectors of x, stopping before a number that is out of
// range, and returns how many numbers it has replaced.
func exp32Start(x []float32) int {
	if len(x) < 4 || runtime.GOARCH == "amd64" && !cpu.X86.HasAVX2 {
		return 0
	}
	a := exp32Args{x: unsafe.Pointer(&x[0]), constants: unsafe.Pointer(&exp32Constants), n: len(x) / 4}
	exp32Vectors(&a)
	return a.done
}
