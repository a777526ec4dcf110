// Package kernel is the arithmetic of the networks: convolutions on small
// boards in float32, forward and backward, in generated AVX-512 and AVX2
// code with a portable twin in Go. The choice is made once, at start; see
// [Name].
//
// Activations lie board by board, row by row, cell by cell, channels
// innermost (NHWC), without padding. Weights are [ky][kx][in][out]. A dense
// layer over n rows is a 1×1 convolution on boards of one cell.
//
// A kernel computes one board row by a block of output channels with all sums
// in registers. Rows off the board are skipped and the taps of the edge
// columns left out, so that only real products are computed. Weights are
// packed in the order of their use, a block after the other:
//
//	block [ ky 0 [ in 0 [ kx 0 | kx 1 | kx 2 ] in 1 [...] ... ] ky 1 ... ]
//	                      \ one value for each output channel of the block
//
// A result is the same bit for bit for any number of boards and any way of
// spreading them, and on AVX-512 and AVX2 alike.
package kernel

import (
	"math"
	"unsafe"
)

//go:generate go run -C gen . -out kernels.s.tmp -stubs kernels.go.tmp -pkg kernel
//go:generate mv gen/kernels.s.tmp kernels_amd64.s
//go:generate mv gen/kernels.go.tmp kernels_amd64.go

// Conv is a convolution of size K×K (1 or 3, zero padding, stride 1) on
// boards of H×W cells with its weights packed for the kernels. After packing
// it does not change: Run may be called concurrently.
type Conv struct {
	H, W    int
	In, Out int
	K       int

	level  level
	blocks []block
	weight []float32 // packed
	bias   []float32 // padded to whole vectors
}

// A block is a range of output channels that one kernel call computes.
type block struct {
	from    int // its first channel
	vectors int // its width in vectors
	weight  int // where its packed weights start
	mask    uintptr
}

// NewConv returns a convolution with all weights zero.
func NewConv(h, w, in, out, k int) *Conv {
	if k != 1 && k != 3 || min(h, w, in, out) < 1 {
		panic("kernel: no such convolution")
	}
	c := &Conv{H: h, W: w, In: in, Out: out, K: k, level: active}
	if k == 3 && len(c.level.tiles(w)) == 0 {
		c.level = portable
	}
	if c.level == portable {
		c.weight, c.bias = make([]float32, k*k*in*out), make([]float32, out)
		return c
	}
	tiles := c.level.tiles(w)
	if k == 1 {
		tiles = c.level.tiles(0)
	}
	lanes := c.level.lanes()
	size := 0
	for from := 0; from < out; {
		left := (out - from + lanes - 1) / lanes
		b := block{from: from, weight: size}
		for _, v := range tiles {
			if v <= left {
				b.vectors = v
				break
			}
		}
		b.mask = c.level.mask(min(lanes, out-from-(b.vectors-1)*lanes))
		c.blocks = append(c.blocks, b)
		size += k * k * in * b.vectors * lanes
		from += b.vectors * lanes
	}
	c.weight = aligned(size)
	c.bias = aligned((out + lanes - 1) / lanes * lanes)
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
	c.pack(func(ky, kx, in, out int) float32 {
		return weight[((ky*c.K+kx)*c.In+in)*c.Out+out]
	})
	clear(c.bias)
	copy(c.bias, bias)
}

// PackTransposed packs the transpose of a forward convolution whose weights
// are [K][K][Out][In] of this one (its input is this one's output), without
// bias: the convolution that takes output gradients to input gradients.
func (c *Conv) PackTransposed(weight []float32) {
	c.pack(func(ky, kx, in, out int) float32 {
		return weight[(((c.K-1-ky)*c.K+c.K-1-kx)*c.Out+out)*c.In+in]
	})
	clear(c.bias)
}

func (c *Conv) pack(weight func(ky, kx, in, out int) float32) {
	if c.level == portable {
		i := 0
		for tap := range c.K * c.K {
			for in := range c.In {
				for out := range c.Out {
					c.weight[i] = weight(tap/c.K, tap%c.K, in, out)
					i++
				}
			}
		}
		return
	}
	lanes := c.level.lanes()
	for _, b := range c.blocks {
		i := b.weight
		for ky := range c.K {
			for in := range c.In {
				for kx := range c.K {
					for out := b.from; out < b.from+b.vectors*lanes; out++ {
						if out < c.Out {
							c.weight[i] = weight(ky, kx, in, out)
						}
						i++
					}
				}
			}
		}
	}
}

// Run computes n boards: dst = conv(src) + bias + residual, with negative
// results replaced by 0 if relu. residual may be nil, and may be dst itself.
// The result for a board does not depend on n.
func (c *Conv) Run(dst, src, residual []float32, n int, relu bool) {
	cells := n * c.H * c.W
	dst, src = dst[:cells*c.Out], src[:cells*c.In]
	if residual != nil {
		residual = residual[:cells*c.Out]
	}
	if cells == 0 {
		return
	}
	floor := float32(math.Inf(-1))
	if relu {
		floor = 0
	}
	switch {
	case c.level == portable:
		c.runPortable(dst, src, residual, n, floor)
	case c.K == 1:
		c.runCells(dst, src, residual, cells, floor)
	default:
		c.runRows(dst, src, residual, n, floor)
	}
}

// runRows runs a 3×3 convolution row by row.
func (c *Conv) runRows(dst, src, residual []float32, n int, floor float32) {
	a := rowArgs{cell: 4 * c.Out, srcCell: 4 * c.In, srcRow: 4 * c.In * c.W, in: c.In, floor: floor}
	for _, b := range c.blocks {
		a.bias = at(c.bias, b.from)
		a.taps = 4 * 3 * c.In * b.vectors * c.level.lanes()
		a.mask = b.mask
		for row := range n * c.H {
			y := row % c.H
			top, bottom := max(y-1, 0), min(y+1, c.H-1)
			o := row*c.W*c.Out + b.from
			a.dst = at(dst, o)
			if residual != nil {
				a.res = at(residual, o)
			}
			a.src = at(src, (row-y+top)*c.W*c.In)
			a.weight = unsafe.Add(at(c.weight, b.weight), (top-y+1)*a.taps)
			a.rows = bottom - top + 1
			c.level.conv(c.W, b.vectors, &a)
		}
	}
}

// runCells runs a 1×1 convolution on some cells at a time.
func (c *Conv) runCells(dst, src, residual []float32, cells int, floor float32) {
	a := rowArgs{cell: 4 * c.Out, srcCell: 4 * c.In, rows: 1, in: c.In, floor: floor}
	for _, b := range c.blocks {
		a.bias, a.weight, a.mask = at(c.bias, b.from), at(c.weight, b.weight), b.mask
		for cell, step := 0, 0; cell < cells; cell += step {
			if step = cellTile; cell+step > cells {
				step = 1
			}
			a.dst, a.src = at(dst, cell*c.Out+b.from), at(src, cell*c.In)
			if residual != nil {
				a.res = at(residual, cell*c.Out+b.from)
			}
			c.level.cells(step, b.vectors, &a)
		}
	}
}

// cellTile is the number of cells that a 1×1 kernel computes together.
const cellTile = 6

// at is the address of element i. The caller has checked the bounds.
func at(s []float32, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), 4*i)
}
