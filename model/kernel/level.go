package kernel

import (
	"fmt"
	"os"
	"slices"
)

// A level is an instruction set that there are kernels for, or portable Go.
type level int

const (
	portable level = iota
	avx2
	avx512
	avxvnni // 8-bit kernels for processors that have VNNI, but not AVX-512
	neon
	sdot // 8-bit kernels for processors with NEON that have dot products

	// WebAssembly, where a call computes a whole layer, and only to play.
	simd    // its vectors of 128 bits
	relaxed // the same with a dot product of bytes
)

// Environment is the environment variable that chooses a lower instruction set
// than the processor offers, by a name that [Name] or [QuantName] returns. A name that
// the processor lacks or that does not exist is ignored.
const Environment = "DOJO_KERNEL"

var (
	chosen      = choose(os.Getenv(Environment))
	active      = chosen.base()
	activeQuant = chosen.quant() // that of the 8-bit kernels
)

// QuantName is the instruction set in use for 8 bits: "avx512", "avxvnni",
// "avx2", "neon+sdot", "neon", "relaxed" or "simd" (in WebAssembly), or "portable".
func QuantName() string { return activeQuant.String() }

// Name is the instruction set in use: "avx512", "avx2", "neon", "relaxed", "simd" or
// "portable".
func Name() string { return active.String() }

// MultiplyAdds does rounds of independent multiply-adds, without reading memory, and
// returns the number of floating-point operations. Timed, it gives the peak that the
// kernels are measured against. Without vector kernels it does nothing and returns 0.
func MultiplyAdds(rounds int) (operations float64) { return active.peak(rounds) }

// QuantMultiplyAdds is MultiplyAdds in 8 bits.
func QuantMultiplyAdds(rounds int) (operations float64) { return activeQuant.quantPeak(rounds) }

func (l level) String() string {
	return [...]string{"portable", "avx2", "avx512", "avxvnni", "neon", "neon+sdot", "simd", "relaxed"}[l]
}

// choose returns the level of that name, if the processor has it, else the best.
func choose(name string) level {
	all := available()
	if i := slices.IndexFunc(all, func(l level) bool { return l.String() == name }); i >= 0 {
		return all[i]
	}
	return all[len(all)-1]
}

// lanes is the number of floats in a vector.
func (l level) lanes() int { return [...]int{1, 8, 16, 8, 4, 4, 4, 4}[l] }

// layers reports whether a kernel of the level computes a whole layer. There are such
// kernels only for what playing needs.
func (l level) layers() bool { return l == simd || l == relaxed }

// trains reports whether the level has kernels for everything that training in floats
// needs, and for [Rows].
func (l level) trains() bool { return l != portable && !l.layers() }

// A kind is what a kernel computes; n is the size in its key.
type kind int

const (
	convKernel  kind = iota // 3×3, all rows of a board n cells wide
	pairKernel              // the same for two boards at once
	partKernel              // 3×3, n cells of a wider row
	cellsKernel             // 1×1, n cells
	gradKernel              // the gradient of one tap's weights, n input channels

	// The same in 8 bits: each word is four input channels.
	quantConvKernel
	quantPairKernel
	quantPartKernel
	quantCellsKernel

	// Chosen rows of a matrix; n is 1.
	gatherKernel  // their sum
	scatterKernel // a vector is added to each
	columnsKernel // their sum in 16 bits, as bytes
)

// A key names a kernel: its instruction set, what it computes, n, and the number
// of vectors of output channels.
type key int

func (l level) key(k kind, n, vectors int) key {
	return key(l)<<13 | key(k)<<9 | key(n)<<5 | key(vectors)
}

func (k key) String() string {
	kinds := [...]string{"conv", "pair", "part", "cells", "grad", "8-bit conv", "8-bit pair", "8-bit part", "8-bit cells", "gather", "scatter", "columns"}
	return fmt.Sprintf("%v %s %d×%d", level(k>>13), kinds[k>>9&15], k>>5&15, k&31)
}

// base is the level of all other kernels where l has only those of convolutions and
// logits in 8 bits.
func (l level) base() level {
	switch l {
	case avxvnni:
		return avx2
	case sdot:
		return neon
	}
	return l
}
