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

//go:wasmimport dojo conv3
//go:noescape
func callConv3(module uint32, a unsafe.Pointer)

//go:wasmimport dojo conv1
//go:noescape
func callConv1(module uint32, a unsafe.Pointer)

//go:wasmimport dojo floats
//go:noescape
func callFloats(module uint32, a unsafe.Pointer)

//go:wasmimport dojo columns
//go:noescape
func callColumns(module uint32, a unsafe.Pointer)

//go:wasmimport dojo logits
//go:noescape
func callLogits(module uint32, a unsafe.Pointer)

//go:wasmimport dojo round
//go:noescape
func callRound(module uint32, a unsafe.Pointer)

//go:wasmimport dojo fused
//go:noescape
func callFused(module uint32, operands unsafe.Pointer)

// modules are the numbers by which kernels.js knows the modules, or -1 where the
// engine cannot run one.
var modules = [...]int32{
	simd:    load(unsafe.Pointer(&simdModule[0]), uint32(len(simdModule))),
	relaxed: load(unsafe.Pointer(&relaxedModule[0]), uint32(len(relaxedModule))),
}

// module is the number of a level's module.
func (l level) module() uint32 { return uint32(modules[l]) }

// floats is the level whose layers in floats are computed for l: the relaxed
// multiply-add rounds once on some processors and twice on others.
var relaxedFloats = floatsOf()

func floatsOf() level {
	if modules[relaxed] < 0 {
		return simd
	}
	const x = 1 + 1./4096
	operands := [3][4]float32{{x}, {x}, {-1 - 2./4096}} // x² has 24 bits behind the point
	callFused(relaxed.module(), unsafe.Pointer(&operands))
	if operands[0][0] == 0 {
		return simd
	}
	return relaxed
}

// available lists the levels that the engine can run, the best last.
func available() []level {
	all := []level{portable}
	for _, l := range []level{simd, relaxed} {
		if modules[l] >= 0 && l.isExact() {
			all = append(all, l)
		}
	}
	return all
}

// isExact reports whether some layers have the results of portable Go. The first engines
// with relaxed instructions (V8 11.3 in Node 20) computed wrong sums in code that they
// had not optimised, if registers were few.
func (l level) isExact() bool {
	for w := 1; w <= 11; w++ { // every width of a tile, and rows of two
		for k := 1; k <= 3; k += 2 {
			if !slices.Equal(l.sample(w, k), portable.sample(w, k)) {
				return false
			}
		}
	}
	return true
}

// sample computes a small layer on a board of one row of w cells.
func (l level) sample(w, k int) []float32 {
	const in, out = 20, 12
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

func (l level) quant() level { return l }

// wide is the input of a layer in 16 bits, while the layer is computed.
var wide []uint16

// runLayer computes a layer in 8 bits for n boards.
func (p *plan) runLayer(a *rowArgs, n int) {
	l := layerArgs{
		dst: a.dst, res: a.res, quant: a.quant, src: a.src, weight: a.weight,
		bias: a.bias, scale: a.scale, inverse: a.inverse,
		boards: n, h: p.h, w: p.w, in: p.in, out: p.out, floor: a.floor,
	}
	if p.level == simd {
		l.in *= 2
		cells := n * p.h * p.w
		if len(wide) < 2*cells*l.in {
			wide = make([]uint16, 2*cells*l.in)
		}
		l.wide = unsafe.Pointer(&wide[0])
	}
	l.srcNext = 4 * l.in * (p.w - 1)
	if p.k == 1 {
		callConv1(p.level.module(), unsafe.Pointer(&l))
	} else {
		callConv3(p.level.module(), unsafe.Pointer(&l))
	}
}

// runFloats computes a layer in floats for n boards.
func (c *Conv) runFloats(a *rowArgs, n int) {
	l := c.level
	if l == relaxed {
		l = relaxedFloats
	}
	callFloats(l.module(), unsafe.Pointer(&layerArgs{
		dst: a.dst, res: a.res, src: a.src, weight: a.weight, bias: a.bias,
		boards: n, h: c.H, w: c.W, in: c.In, out: c.Out, k: c.K, floor: a.floor,
	}))
}

// runColumns sums out columns.
func (l level) runColumns(a *columnArgs, out int) {
	callColumns(l.module(), unsafe.Pointer(&listArgs{
		dst: a.dst, bias: a.bias, rows: a.rows, index: a.index,
		stride: a.stride, count: a.count, out: out, shift: a.shift,
	}))
}

// runLogits computes n logits.
func (l level) runLogits(a *logitArgs, n int) {
	callLogits(l.module(), unsafe.Pointer(&listArgs{
		dst: a.dst, src: a.src, rows: a.rows, index: a.index, stride: a.stride, count: n, in: a.in,
	}))
}

// roundLayer rounds floats to bytes.
func (l level) roundLayer(a *roundArgs) {
	callRound(l.module(), unsafe.Pointer(&listArgs{
		dst: a.dst, src: a.src, inverse: a.inverse, vectors: a.vectors,
	}))
}
