package kernel

import (
	"cmp"
	"os"
	"slices"
	"unsafe"
)

// A level is an instruction set that there are kernels for, or portable Go.
type level struct {
	name      string
	base      *level              // has the kernels in floats, if this level lacks them
	bytes     *level              // has those in 8 bits, if this level lacks them
	narrow    *level              // has narrower panels, if there is one
	functions *[functions]uintptr // addresses; 0 for a missing kernel
	lanes     int                 // floats of a vector
	halves    bool                // the order of weights in 8 bits; see place

	// The results whose sums a matrix kernel keeps in registers. The generator knows these
	// numbers too.
	rows, channels int
}

// A function is a kernel. The generator has them in this order.
type function int

const (
	matrixFunction function = iota
	_                       // the same for tiles of half as many rows
	_                       // and of one row

	columnsFunction // in 8 bits
	quantFunction
	_ // likewise
	_
	logitsFunction
	quantPeakFunction

	gatherFunction // to train, and of sparse networks in floats
	dotsFunction
	gradFunction
	gradRowFunction
	scatterFunction
	reluFunction
	addFunction
	squaresFunction
	adamFunction
	peakFunction

	functions
)

// portable is plain Go, which defines what the kernels compute.
var portable = &level{name: "portable", functions: new([functions]uintptr), lanes: 1, rows: 2}

// of is the level, or its base, which has a kernel if one of them has.
func (l *level) of(f function) *level {
	if !l.has(f) && l.base != nil {
		return l.base
	}
	return l
}

// has reports whether the level has a kernel.
func (l *level) has(f function) bool { return l.functions[f] != 0 }

// fitting is the level whose panels hold that many channels with the least to spare.
func (l *level) fitting(channels int) *level {
	padded := func(l *level) int { return (channels + l.channels - 1) / l.channels * l.channels }
	if l.narrow != nil && padded(l.narrow) < padded(l) {
		return l.narrow
	}
	return l
}

// call runs a kernel, whose arguments a points to.
func (l *level) call(f function, a unsafe.Pointer) { invoke(a, l.functions[f]) }

// Environment is the environment variable that chooses a lower instruction set
// than the processor offers, by a name that [Name] or [QuantName] returns. A name that
// the processor lacks or that does not exist is ignored.
const Environment = "DOJO_KERNEL"

var active, activeQuant = choose(os.Getenv(Environment)).pair() // for floats, and for products in 8 bits

// QuantName is the instruction set in use for 8 bits: "avx512", "avxvnni",
// "avx2", "neon+sdot", "neon", "relaxed" or "simd" (in WebAssembly), or "portable".
func QuantName() string { return activeQuant.name }

// Name is the instruction set in use: "avx512", "avx2", "neon", "relaxed", "simd" or
// "portable".
func Name() string { return active.name }

// choose returns the level of that name, if the processor has it, else the best.
func choose(name string) *level {
	all := available()
	if i := slices.IndexFunc(all, func(l *level) bool { return l.name == name }); i >= 0 {
		return all[i]
	}
	return all[len(all)-1]
}

// pair returns the levels for floats and for 8 bits where l is chosen.
func (l *level) pair() (floats, bytes *level) {
	return cmp.Or(l.base, l), cmp.Or(l.bytes, l)
}

// peakProducts is how many multiply-adds of vectors a round of the peak kernels has.
const peakProducts = 48

// MultiplyAdds does rounds of independent multiply-adds, without reading memory, and
// returns the number of floating-point operations. Timed, it gives the peak that the
// kernels are measured against. Without vector kernels it does nothing and returns 0.
func MultiplyAdds(rounds int) (operations float64) {
	return active.peak(peakFunction, rounds, active.lanes)
}

// QuantMultiplyAdds is MultiplyAdds in 8 bits.
func QuantMultiplyAdds(rounds int) (operations float64) {
	return activeQuant.peak(quantPeakFunction, rounds, 4*activeQuant.lanes)
}

func (l *level) peak(f function, rounds, products int) (operations float64) {
	if !l.has(f) {
		return 0
	}
	a := vectorArgs{vectors: rounds}
	l.call(f, unsafe.Pointer(&a))
	return float64(rounds * peakProducts * 2 * products)
}
