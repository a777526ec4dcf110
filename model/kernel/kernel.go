// Package kernel is the arithmetic of the networks: convolutions on small
// boards, as [Conv] in float32, forward and backward, and as [Quant] in 8 bits.
// A kernel is a function in assembly that computes a part of one. There are
// generated kernels for AVX-512, AVX-VNNI, AVX2 and NEON, WebAssembly's functions that
// compute whole layers, and portable Go that gives the same bits. The choice is made
// once, at start; see [Name] and [QuantName].
//
// Activations lie board by board, row by row, cell by cell, channels
// innermost (NHWC), without padding. Weights are [ky][kx][in][out]. A dense
// layer over n rows is a 1×1 convolution on boards of one cell.
//
// A tap is one of the K×K places of a convolution's kernel, (ky, kx). A vector
// is what a register holds, and a block a range of output channels of one, two
// or four vectors. One call of a kernel computes one block of a board, row by
// row, with all sums of a row in registers. Taps that fall off the board are left
// out, so that no product with the padding is computed. Weights are packed in the
// order of their use, a block after the other, so that a kernel reads them
// straight through:
//
//	block [ ky 0 [ in 0 [ kx 0 | kx 1 | kx 2 ] in 1 [...] ... ] ky 1 ... ]
//	                      \ one value for each output channel of the block
//
// Where the sums of one row are too few to keep the processor busy, a kernel
// takes the same row of two boards. A width that has no kernel is cut into
// parts that also read their neighbours, or zeros at the board's edge:
//
//	12 cells  [ 0 |a b c d| e ]
//	                   [ d |e f g h| i ]
//	                            [ h |i j k l| 0 ]
//
// Training takes its convolutions, with their gradients, from [NewTrained]. On boards of 5×5
// cells they are computed by Winograd's algorithm F(5×5, 3×3), which needs 49 products for
// each pair of an input and an output channel; directly there are 169, the taps of all cells
// that do not fall off the board.
//
// In 8 bits four input channels make a word of 32 bits, which takes the place of
// one float in all of this.
//
// Go's compiler uses no vectors for js/wasm. There a kernel is a function of a module
// of its own, which works on the memory of Go's program and computes a layer for all
// boards at a call; package wasm has the modules and the script that loads them. The
// packing is the one above, with blocks of one or two vectors.
//
// A result has the same bits however many boards are computed together, however
// they are spread over calls, and on every processor: each sum takes its products
// in one fixed order and rounds once for each product.
package kernel

import (
	"unsafe"
)

//go:generate go run -C gen . -isa avx512 -out ../avx512_amd64.s -stubs ../avx512_amd64.go -pkg kernel
//go:generate go run -C gen . -isa avx2 -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg kernel -dispatch ../dispatch_amd64.go
//go:generate go run -C gen . -isa avxvnni -out ../avxvnni_amd64.s -stubs ../avxvnni_amd64.go -pkg kernel
//go:generate go run -C gen . -isa wasm
//go:generate go run -C gen . -isa exp32 -out ../../../internal/detmath/exp32_amd64.s -stubs ../../../internal/detmath/exp32_amd64.go -pkg detmath
//go:generate go run -C gen . -isa exp32-arm64 -out ../../../internal/detmath/exp32_arm64.s -stubs ../../../internal/detmath/exp32_arm64.go
//go:generate go run -C gen . -isa neon -out ../neon_arm64.s -stubs ../neon_arm64.go -dispatch ../dispatch_arm64.go
//go:generate go run -C gen . -isa sdot -out ../sdot_arm64.s -stubs ../sdot_arm64.go
//go:generate gofmt -w dispatch_amd64.go dispatch_arm64.go

// Conv is a convolution of size K×K (1 or 3, zero padding, stride 1) on
// boards of H×W cells with its weights packed for the kernels. After packing
// it does not change: Run may be called concurrently.
type Conv struct {
	H, W    int
	In, Out int
	K       int

	plan
	weight []float32 // packed
	bias   []float32 // padded to whole vectors
	grad   gradPlan  // of WeightGrad
}

// NewConv returns a convolution with all weights zero.
func NewConv(h, w, in, out, k int) *Conv {
	if k != 1 && k != 3 || min(h, w, in, out) < 1 {
		panic("kernel: no such convolution")
	}
	c := &Conv{H: h, W: w, In: in, Out: out, K: k, plan: newPlan(active, floats, h, w, in, out, k)}
	if !c.level.trains() {
		const spare = 4 // a vector that begins at the last one
		c.weight, c.bias = make([]float32, k*k*in*out, k*k*in*out+spare), make([]float32, out, out+spare)
		return c
	}
	c.grad = newGradPlan(c)
	c.weight, c.bias = aligned(c.words), aligned(c.padded())
	return c
}

// aligned allocates n floats at a multiple of a cache line.
func aligned(n int) []float32 {
	const line = 64
	s := make([]float32, n+line/4)
	skip := -uintptr(unsafe.Pointer(&s[0])) % line / 4
	return s[skip:][:n:n]
}

// Pack sets weights, [K][K][In][Out], and bias, [Out]; nil means zero.
func (c *Conv) Pack(weight, bias []float32) {
	clear(c.bias)
	copy(c.bias, bias)
	if !c.level.trains() {
		copy(c.weight, weight[:len(c.weight)])
		return
	}
	c.forEachRun(func(i, ky, kx, in, from, to int) {
		row := ((ky*c.K+kx)*c.In + in) * c.Out
		copy(c.weight[i:], weight[row+from:row+to])
	})
}

// PackTransposed makes c the convolution that turns the gradient of another
// convolution's output into the gradient of its input. weight is the other's, as
// Pack takes it: c's Out is its In and c's In its Out. c has no bias.
func (c *Conv) PackTransposed(weight []float32) {
	clear(c.bias)
	transpose := func(i, ky, kx, in, from, to int) {
		column := ((c.K-1-ky)*c.K+c.K-1-kx)*c.Out*c.In + in
		for out := from; out < to; out++ {
			c.weight[i+out-from] = weight[column+out*c.In]
		}
	}
	if c.level.trains() {
		c.forEachRun(transpose)
		return
	}
	for tap := range c.K * c.K {
		for in := range c.In {
			transpose((tap*c.In+in)*c.Out, tap/c.K, tap%c.K, in, 0, c.Out)
		}
	}
}
