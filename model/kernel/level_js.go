package kernel

import (
	_ "embed" // for the modules below
	"slices"
	"unsafe"
)

// In WebAssembly, the vector kernels are in separate modules. They work on the memory of the Go
// program. The script wasm/kernels.js loads the modules and forwards calls to them.

//go:embed wasm/simd.wasm
var simdModule []byte

//go:embed wasm/relaxed.wasm
var relaxedModule []byte

//go:wasmimport dojo load
//go:noescape
func load(module unsafe.Pointer, length uint32) int32

//go:wasmimport dojo call
//go:noescape
func callModule(module, function uint32, args unsafe.Pointer)

// invoke calls a kernel with a pointer to its arguments. address is one of the addresses that
// newModule returned.
func invoke(args unsafe.Pointer, address uintptr) {
	callModule(uint32(address>>8)-1, uint32(address&0xff), args)
}

// newModule loads a module and returns addresses for its functions. An address combines the number
// of the module, counted from 1, with the number of the function. Functions before first have the
// address 0. If the engine does not support the module, all addresses are 0.
func newModule(bytes []byte, first function) *[functions]uintptr {
	var addresses [functions]uintptr
	if module := load(unsafe.Pointer(&bytes[0]), uint32(len(bytes))); module >= 0 {
		for f := first; f <= quantPeakFunction; f++ { // the modules have no training kernels
			addresses[f] = uintptr(module+1)<<8 | uintptr(f)
		}
	}
	return &addresses
}

var (
	simd    = &level{name: "simd", base: portable, functions: newModule(simdModule, columnsFunction), lanes: 4, rows: 4, channels: 8, halves: true}
	relaxed = &level{name: "relaxed", functions: newModule(relaxedModule, matrixFunction), lanes: 4, rows: 4, channels: 8}
)

// available lists the levels that the engine supports, from the slowest to the fastest. Kernels for
// floats need a multiply-add that rounds once. The level simd has no multiply-add, and on some
// processors the multiply-add of the level relaxed rounds twice. In these cases, plain Go computes
// the floats.
func available() []*level {
	all := []*level{portable}
	for _, l := range []*level{simd, relaxed} {
		if l.has(quantFunction) && l.isExact() {
			all = append(all, l)
		}
	}
	if !relaxed.isFused() {
		relaxed.base = portable
	}
	return all
}

// isExact reports whether the level gives the same results as portable Go for some sample layers.
// This test is necessary because the first engines with relaxed instructions (V8 11.3 in Node 20)
// had a bug: before optimising the code, they computed wrong sums when few registers were free.
func (l *level) isExact() bool {
	for w := 1; w <= 11; w++ { // these widths lead to tiles of all heights
		if !slices.Equal(l.sample(w), portable.sample(w)) {
			return false
		}
	}
	return true
}

// sample computes a small layer with fixed weights and inputs on a board with one row of w cells.
func (l *level) sample(w int) []float32 {
	const in, out, k = 20, 12, 3
	weight, src := make([]float32, k*k*in*out), make([]uint8, w*in)
	for i := range weight {
		weight[i] = float32(i*i%255 - 127)
	}
	for i := range src {
		src[i] = uint8(i * i % (MaxActivation + 1))
	}
	q := newQuant(l, 1, w, in, out, k)
	q.Pack(weight, make([]float32, out), slices.Repeat([]float32{1}, in))
	result := make([]float32, w*out)
	q.Run(&Output{Floats: result}, src, nil, 1, false)
	return result
}

// isFused reports whether the level's multiply-add rounds only once.
func (l *level) isFused() bool {
	if !l.has(matrixFunction) {
		return false
	}
	const x = 1 + 1./4096
	c := newConv(l, 1, 1, 1, 1, 1)
	c.Pack([]float32{x}, []float32{-1 - 2./4096})
	result := []float32{0}
	c.Run(result, []float32{x}, nil, 1, false)
	// x·x needs 24 binary digits after the point. If it were rounded to float32 before the
	// addition, the result would be 0.
	return result[0] != 0
}
