package kernel

import (
	"cmp"
	"os"
	"slices"
	"unsafe"
)

// A level is an instruction set with its kernels. The level portable is plain Go and has no
// kernels.
type level struct {
	name string
	// The level to use for floats, if this level has no kernels for floats.
	base *level
	// The level to use for 8 bits, if this level has no kernels for 8 bits.
	bytes     *level
	narrow    *level              // a similar level with narrower panels, or nil
	functions *[functions]uintptr // addresses of the kernels; 0 for a missing kernel
	lanes     int                 // number of floats in a vector
	// Whether 8-bit weights are in the order for kernels without dot products of bytes; see place.
	halves bool

	// rows and channels are the size of a tile (the results whose sums a matrix kernel keeps in
	// registers). The generator, package gen, has the same numbers.
	rows, channels int
}

// A function is the number of a kernel. The generator lists the kernels in the same order.
type function int

const (
	matrixFunction function = iota
	_                       // matrix kernel for tiles with half as many rows
	_                       // matrix kernel for tiles of one row

	columnsFunction // the first kernel for 8 bits; the next five are also for 8 bits
	quantFunction
	_ // 8-bit matrix kernel for tiles with half as many rows
	_ // 8-bit matrix kernel for tiles of one row
	logitsFunction
	quantPeakFunction

	// The kernels from here on serve only training and sparse networks in floats.
	gatherFunction
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

// portable is the level of plain Go. Its code defines what the kernels compute.
var portable = &level{name: "portable", functions: new([functions]uintptr), lanes: 1, rows: 2}

// of returns the level on which to run the kernel f. This is l if it has the kernel; otherwise it
// is the level base, if there is one.
func (l *level) of(f function) *level {
	if !l.has(f) && l.base != nil {
		return l.base
	}
	return l
}

// has reports whether the level has the kernel f.
func (l *level) has(f function) bool { return l.functions[f] != 0 }

// fitting returns l or its narrower level, whichever needs less padding to divide the given number
// of channels into panels.
func (l *level) fitting(channels int) *level {
	padded := func(l *level) int { return (channels + l.channels - 1) / l.channels * l.channels }
	if l.narrow != nil && padded(l.narrow) < padded(l) {
		return l.narrow
	}
	return l
}

// call runs the kernel f. a points to the struct with the kernel's arguments.
func (l *level) call(f function, a unsafe.Pointer) { invoke(a, l.functions[f]) }

// Environment is the name of an environment variable that selects a lower instruction set than the
// best one that the processor supports. Its value is a name that [Name] or [QuantName] may return.
// The package ignores a name that does not exist or that the processor does not support.
const Environment = "DOJO_KERNEL"

// active is the level for floats, and activeQuant is the level for 8 bits.
var active, activeQuant = choose(os.Getenv(Environment)).pair()

// QuantName returns the instruction set in use for 8 bits: "avx512", "avxvnni", "avx2",
// "neon+sdot", "neon" or "portable", or in WebAssembly "relaxed" or "simd".
func QuantName() string { return activeQuant.name }

// Name returns the instruction set in use for floats: "avx512", "avx2", "neon" or "portable", or in
// WebAssembly "relaxed".
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

// pair returns the two levels to use when l is chosen: one for floats and one for 8 bits. Each of
// them is l, unless l names another level for this purpose.
func (l *level) pair() (floats, bytes *level) {
	return cmp.Or(l.base, l), cmp.Or(l.bytes, l)
}

// A kernel that measures the peak speed multiplies and adds peakProducts vectors in each round. The
// generator has the same constant.
const peakProducts = 48

// MultiplyAdds does the given number of rounds of independent multiply-adds without reading memory,
// and returns the number of floating-point operations. A benchmark times it to measure the peak
// speed of the processor. If there are no vector kernels, MultiplyAdds does nothing and returns 0.
func MultiplyAdds(rounds int) (operations float64) {
	return active.peak(peakFunction, rounds, active.lanes)
}

// QuantMultiplyAdds does the same as [MultiplyAdds], but with products of 8-bit integers.
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
