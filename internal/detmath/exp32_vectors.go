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
	n         int // fours of numbers, at least one
	done      int // the numbers that are done, a result: from 0 on
}

// exp32Vectors replaces fours of numbers by their [Exp32]. It stops before four of which
// one is not within ±87.
//
//go:noescape
func exp32Vectors(a *exp32Args)

// exp32Start is Exp32s for as many vectors from the first on as it can, and returns
// the number of results.
func exp32Start(x []float32) int {
	if len(x) < 4 || runtime.GOARCH == "amd64" && !cpu.X86.HasAVX2 {
		return 0
	}
	a := exp32Args{x: unsafe.Pointer(&x[0]), constants: unsafe.Pointer(&exp32Constants), n: len(x) / 4}
	exp32Vectors(&a)
	return a.done
}
