// Package kernel is the arithmetic of the networks: convolutions on small
// boards, [Conv] in float32, forward and backward, and [Quant] in 8 bits, in
// generated AVX-512, AVX-VNNI and AVX2 code with a portable twin in Go. The
// choice is made once, at start; see [Name] and [QuantName].
//
// Activations lie board by board, row by row, cell by cell, channels
// innermost (NHWC), without padding. Weights are [ky][kx][in][out]. A dense
// layer over n rows is a 1×1 convolution on boards of one cell.
//
// A kernel computes a board, row by row, by a block of output channels, with
// all sums of a row in registers. Rows off the board are skipped and the taps of the edge
// columns left out, so that only real products are computed. Weights are
// packed in the order of their use, a block after the other, so that a kernel
// reads them straight through:
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
// In 8 bits four input channels are one word, and take the place of one float in
// all of this.
//
// A result is the same bit for bit for any number of boards, any way of
// spreading them and every processor: whoever computes a sum takes its products
// in one order and rounds once for each of them.
package kernel

import (
	"unsafe"
)

//go:generate go run -C gen . -isa avx512 -out ../avx512_amd64.s -stubs ../avx512_amd64.go -pkg kernel
//go:generate go run -C gen . -isa avx2 -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg kernel -dispatch ../dispatch_amd64.go
//go:generate go run -C gen . -isa avxvnni -out ../avxvnni_amd64.s -stubs ../avxvnni_amd64.go -pkg kernel
//go:generate gofmt -w dispatch_amd64.go

// Conv is a convolution of size K×K (1 or 3, zero padding, stride 1) on
// boards of H×W cells with its weights packed for the kernels. After packing
// it does not change: Run may be called concurrently.
type Conv struct {
	H, W    int
	In, Out int
	K       int

	plan
	grads  []block   // the blocks of the weight gradient
	weight []float32 // packed
	bias   []float32 // padded to whole vectors
}

// NewConv returns a convolution with all weights zero.
func NewConv(h, w, in, out, k int) *Conv {
	if k != 1 && k != 3 || min(h, w, in, out) < 1 {
		panic("kernel: no such convolution")
	}
	c := &Conv{H: h, W: w, In: in, Out: out, K: k, plan: newPlan(active, floats, h, w, in, out, k)}
	if c.level == portable {
		c.weight, c.bias = make([]float32, k*k*in*out), make([]float32, out)
		return c
	}
	c.grads = c.level.blocks(out, gradKernel, 1)
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
	if c.level == portable {
		copy(c.weight, weight[:len(c.weight)])
		return
	}
	c.each(func(i, ky, kx, in, from, to int) {
		row := ((ky*c.K+kx)*c.In + in) * c.Out
		copy(c.weight[i:], weight[row+from:row+to])
	})
}

// PackTransposed packs the transpose of a forward convolution whose weights
// are [K][K][Out][In] of this one (its input is this one's output), without
// bias: the convolution that takes output gradients to input gradients.
func (c *Conv) PackTransposed(weight []float32) {
	clear(c.bias)
	transpose := func(i, ky, kx, in, from, to int) {
		column := ((c.K-1-ky)*c.K+c.K-1-kx)*c.Out*c.In + in
		for out := from; out < to; out++ {
			c.weight[i+out-from] = weight[column+out*c.In]
		}
	}
	if c.level != portable {
		c.each(transpose)
		return
	}
	for tap := range c.K * c.K {
		for in := range c.In {
			transpose((tap*c.In+in)*c.Out, tap/c.K, tap%c.K, in, 0, c.Out)
		}
	}
}
