package kernel

import (
	_ "embed" // the modules
	"slices"
	"unsafe"
)

// In WebAssembly vectors are at work in modules of their own, on the memory of Go's
// program; wasm/kernels.js loads them and passes on the calls.

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

// invoke calls a function whose address is that of newModule.
func invoke(args unsafe.Pointer, address uintptr) {
	callModule(uint32(address>>8)-1, uint32(address&0xff), args)
}

// newModule loads a module and returns the addresses of its functions, which are the
// number of the module, from 1 on, and of the function. They are 0 where the engine cannot
// run the module, and for those before the first.
func newModule(bytes []byte, first function) *[functions]uintptr {
	var addresses [functions]uintptr
	if module := load(unsafe.Pointer(&bytes[0]), uint32(len(bytes))); module >= 0 {
		for f := first; f <= quantPeakFunction; f++ { // kernels for training are missing
			addresses[f] = uintptr(module+1)<<8 | uintptr(f)
		}
	}
	return &addresses
}

var (
	simd    = &level{name: "simd", base: portable, functions: newModule(simdModule, columnsFunction), lanes: 4, rows: 4, channels: 8, halves: true}
	relaxed = &level{name: "relaxed", functions: newModule(relaxedModule, matrixFunction), lanes: 4, rows: 4, channels: 8}
)

// available lists the levels that the engine can run, the best last. Without a multiply-add
// that rounds once, which simd lacks and relaxed has on some processors, floats are computed
// in plain Go.
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

// isExact reports whether some layers have the results of portable Go. The first engines
// with relaxed instructions (V8 11.3 in Node 20) computed wrong sums in code that they
// had not optimised, if registers were few.
func (l *level) isExact() bool {
	for w := 1; w <= 11; w++ { // tiles and rows
		if !slices.Equal(l.sample(w), portable.sample(w)) {
			return false
		}
	}
	return true
}

// sample computes a small layer on a board of one row of w cells.
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

// isFused reports whether a product and a sum are rounded once.
func (l *level) isFused() bool {
	if !l.has(matrixFunction) {
		return false
	}
	const x = 1 + 1./4096
	c := newConv(l, 1, 1, 1, 1, 1)
	c.Pack([]float32{x}, []float32{-1 - 2./4096})
	result := []float32{0}
	c.Run(result, []float32{x}, nil, 1, false)
	return result[0] != 0 // x² has 24 bits behind the point
}
