package kernel

import (
	"cmp"
	"os"
	"slices"
	"unsafe"
)

// A level is an instruction set with its kernels. The level portable stands for plain Go and has no
// kernels.
type level struct {
	name string
	// The level to use for floats instead, if this level has no float kernels.
	base *level
	// The level to use for 8 bits instead, if this level has no 8-bit kernels.
	bytes     *level
	narrow    *level              // a similar level with narrower panels, or nil
	functions *[functions]uintptr // addresses of the kernels; 0 if a kernel is missing
	lanes     int                 // number of floats in a vector
	// Whether 8-bit weights are ordered for kernels without byte dot products; see place.
	halves bool

	// rows and channels are the size of a tile (the results whose sums a matrix kernel keeps in
	// registers). They must equal the numbers in the generator, package gen.
	rows, channels int
}

// A function is the number of a kernel. The order is the same as in the generator's list of
// kernels.
type function int

const (
	matrixFunction function = iota
	_                       // matrix kernel for tiles with half as many rows
	_                       // matrix kernel for tiles of one row

	columnsFunction // the first 8-bit kernel; the next five are also 8-bit kernels
	quantFunction
	_ // 8-bit matrix kernel for tiles with half as many rows
	_ // 8-bit matrix kernel for tiles of one row
	logitsFunction
	quantPeakFunction

	// From here on, the kernels are only for training and for sparse networks in floats.
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

// of returns the level that runs the kernel f: l if it has the kernel, and otherwise l.base, if
// there is one.
func (l *level) of(f function) *level {
	if !l.has(f) && l.base != nil {
		return l.base
	}
	return l
}

// has reports whether the level has the kernel f.
func (l *level) has(f function) bool { return l.functions[f] != 0 }

// fitting returns l or its narrow level, whichever needs less padding when the given number of
// channels is divided into panels.
func (l *level) fitting(channels int) *level {
	padded := func(l *level) int { return (channels + l.channels - 1) / l.channels * l.channels }
	if l.narrow != nil && padded(l.narrow) < padded(l) {
		return l.narrow
	}
	return l
}

// call runs the kernel f with the arguments in the struct at a.
func (l *level) call(f function, a unsafe.Pointer) { invoke(a, l.functions[f]) }

// Environment is the name of an environment variable that selects another instruction set than the
// best one. Its value is one of the names that [Name] and [QuantName] return. A name that does not
// exist, or that the processor does not support, is ignored.
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

// pair returns the levels to use for floats and for 8 bits if l is chosen. Each is l itself, unless
// l.base or l.bytes names another level for this purpose.
func (l *level) pair() (floats, bytes *level) {
	return cmp.Or(l.base, l), cmp.Or(l.bytes, l)
}

// peakProducts is the number of multiply-adds, each of a whole vector, per round of a kernel that
// measures peak speed. It must equal the constant in the generator.
const peakProducts = 48

// MultiplyAdds runs rounds of independent multiply-adds that do not read memory, and returns the
// number of floating-point operations. A benchmark times it to measure the processor's peak speed.
// If there are no vector kernels, MultiplyAdds does nothing and returns 0.
func MultiplyAdds(rounds int) (operations float64) {
	return active.peak(peakFunction, rounds, active.lanes)
}

// QuantMultiplyAdds is like [MultiplyAdds], but multiplies 8-bit integers.
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
