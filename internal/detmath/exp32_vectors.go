//go:build amd64 || arm64

package detmath

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// exp32Args holds the arguments and the result of exp32Vectors. The assembly generator
// model/kernel/gen refers to the fields by name.
type exp32Args struct {
	x         unsafe.Pointer // array of float32; the function replaces its elements
	constants unsafe.Pointer
	n         int // number of groups of four numbers, at least 1
	done      int // result: how many numbers were replaced; the caller initialises it to 0
}

// exp32Vectors replaces each number with the result of [Exp32], four numbers at a time. If one of
// the next four numbers is beyond ±87, it stops and leaves these four unchanged.
//
//go:noescape
func exp32Vectors(a *exp32Args)

// exp32Start replaces numbers at the start of x with the results of [Exp32], and returns how many.
// It works on groups of four, and stops before the first group with a number beyond ±87.
func exp32Start(x []float32) int {
	if len(x) < 4 || runtime.GOARCH == "amd64" && !cpu.X86.HasAVX2 {
		return 0
	}
	a := exp32Args{x: unsafe.Pointer(&x[0]), constants: unsafe.Pointer(&exp32Constants), n: len(x) / 4}
	exp32Vectors(&a)
	return a.done
}
