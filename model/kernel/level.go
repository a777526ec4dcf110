package kernel

import (
	"cmp"
	"os"
	"slices"
	"unsafe"
)

// A level is an instruction set with its kernels, or portable Go.
type level struct {
	name      string
	base      *level              // level with the float kernels, if this level lacks them
	bytes     *level              // level with the 8-bit kernels, if this level lacks them
	narrow    *level              // level with narrower panels, if there is one
	functions *[functions]uintptr // addresses of the kernels; 0 for a missing kernel
	lanes     int                 // number of floats in a vector
	halves    bool                // the 8-bit weights are in the order for kernels without dot products; see place

	// rows and channels are the size of the tile whose sums a matrix kernel keeps in registers. The
	// generator has the same numbers.
	rows, channels int
}

// A function is the number of a kernel. The generator has the kernels in the same order.
type function int

const (
	matrixFunction function = iota
	_                       // the same for tiles of half as many rows
	_                       // the same for tiles of one row

	columnsFunction // this function and the next five compute in 8 bits
	quantFunction
	_ // the same for tiles of half as many rows
	_ // the same for tiles of one row
	logitsFunction
	quantPeakFunction

	gatherFunction // this function and those below serve training and sparse networks in floats
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

// portable is plain Go. It defines what the kernels compute.
var portable = &level{name: "portable", functions: new([functions]uintptr), lanes: 1, rows: 2}

// of returns the level to use for a kernel: l if it has the kernel, otherwise its base if there is
// one.
func (l *level) of(f function) *level {
	if !l.has(f) && l.base != nil {
		return l.base
	}
	return l
}

// has reports whether the level has a kernel.
func (l *level) has(f function) bool { return l.functions[f] != 0 }

// fitting returns the level whose panels fit the given number of channels with the least padding.
func (l *level) fitting(channels int) *level {
	padded := func(l *level) int { return (channels + l.channels - 1) / l.channels * l.channels }
	if l.narrow != nil && padded(l.narrow) < padded(l) {
		return l.narrow
	}
	return l
}

// call runs a kernel. a points to the kernel's arguments.
func (l *level) call(f function, a unsafe.Pointer) { invoke(a, l.functions[f]) }

// Environment is the name of an environment variable. Its value selects a lower instruction set
// than the processor offers, by a name that [Name] or [QuantName] returns. The package ignores a
// name that does not exist or that the processor does not support.
const Environment = "DOJO_KERNEL"

var active, activeQuant = choose(os.Getenv(Environment)).pair() // active for floats, activeQuant for products in 8 bits

// QuantName returns the instruction set in use for 8 bits: "avx512", "avxvnni", "avx2",
// "neon+sdot", "neon", "relaxed" or "simd" (both in WebAssembly), or "portable".
func QuantName() string { return activeQuant.name }

// Name returns the instruction set in use for floats: "avx512", "avx2", "neon", "relaxed", "simd"
// or "portable".
func Name() string { return active.name }

// choose returns the level with the given name if the processor supports it, otherwise the best
// level.
func choose(name string) *level {
	all := available()
	if i := slices.IndexFunc(all, func(l *level) bool { return l.name == name }); i >= 0 {
		return all[i]
	}
	return all[len(all)-1]
}

// pair returns the levels for floats and for 8 bits if l is chosen.
func (l *level) pair() (floats, bytes *level) {
	return cmp.Or(l.base, l), cmp.Or(l.bytes, l)
}

// peakProducts is the number of vector multiply-adds in one round of the peak kernels.
const peakProducts = 48

// MultiplyAdds does the given number of rounds of independent multiply-adds without reading memory,
// and returns the number of floating-point operations. Timing it measures the peak speed to which
// the speed of kernels is compared. Without vector kernels MultiplyAdds does nothing and returns 0.
func MultiplyAdds(rounds int) (operations float64) {
	return active.peak(peakFunction, rounds, active.lanes)
}

// QuantMultiplyAdds is MultiplyAdds for 8 bits.
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
