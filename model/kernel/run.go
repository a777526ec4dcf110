package kernel

import (
	"math"
	"unsafe"
)

// Run computes n boards: dst = conv(src) + bias + residual, with negative
// results replaced by 0 if relu. residual may be nil, and may be dst itself.
// The result for a board does not depend on n. Weights are finite.
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

// runRows runs a 3×3 convolution row by row, two boards at a time where there
// are kernels for that: narrow blocks alone would wait for their own sums.
func (c *Conv) runRows(dst, src, residual []float32, n int, floor float32) {
	srcRow, cells := 4*c.In*c.W, c.H*c.W
	a := rowArgs{
		cell: 4 * c.Out, board: 4 * c.Out * cells,
		srcCell: 4 * c.In, srcBoard: 4 * c.In * cells, srcNext: srcRow - 4*c.In,
		in: c.In, floor: floor,
	}
	for _, b := range c.blocks {
		a.bias, a.mask = at(c.bias, b.from), b.mask
		taps := 3 * c.In * b.vectors * c.level.lanes()
		one, two := c.level.key(convKernel, c.W, b.vectors), c.level.key(pairKernel, c.W, b.vectors)
		pairs := !c.parts && exists(two)
		for board, step := 0, 0; board < n; board += step {
			kernel := one
			step = 1
			if pairs && board+1 < n {
				kernel, step = two, 2
			}
			for y := range c.H {
				top, bottom := max(y-1, 0), min(y+1, c.H-1)
				o := (board*c.H+y)*c.W*c.Out + b.from
				a.dst = at(dst, o)
				if residual != nil {
					a.res = at(residual, o)
				}
				a.src = at(src, (board*c.H+top)*c.W*c.In)
				a.weight = at(c.weight, b.weight+(top-y+1)*taps)
				a.rows = bottom - top + 1
				if c.parts {
					c.runParts(a, b.vectors)
				} else {
					kernel.run(&a)
				}
			}
		}
	}
}

// zero stands for every channel of a cell off the board.
var zero float32

// runParts computes one row in parts, given the arguments of its first.
func (c *Conv) runParts(a rowArgs, vectors int) {
	most := c.level.most(partKernel, vectors)
	for x, step := 0, 0; x < c.W; x += step {
		step = share(c.W-x, most)
		a.left, a.leftStep, a.leftNext = unsafe.Pointer(&zero), 0, 0
		if x > 0 {
			a.left, a.leftStep, a.leftNext = unsafe.Add(a.src, -a.srcCell), 4, a.srcNext
		}
		a.right, a.rightStep, a.rightNext = unsafe.Pointer(&zero), 0, 0
		if x+step < c.W {
			a.right, a.rightStep, a.rightNext = unsafe.Add(a.src, step*a.srcCell), 4, a.srcNext
		}
		c.level.key(partKernel, step, vectors).run(&a)
		if x+step < c.W {
			a.src, a.dst = unsafe.Add(a.src, step*a.srcCell), unsafe.Add(a.dst, step*a.cell)
			if a.res != nil {
				a.res = unsafe.Add(a.res, step*a.cell)
			}
		}
	}
}

// runCells runs a 1×1 convolution on some cells at a time.
func (c *Conv) runCells(dst, src, residual []float32, cells int, floor float32) {
	a := rowArgs{cell: 4 * c.Out, srcCell: 4 * c.In, in: c.In, floor: floor}
	for _, b := range c.blocks {
		a.bias, a.weight, a.mask = at(c.bias, b.from), at(c.weight, b.weight), b.mask
		most := c.level.most(cellsKernel, b.vectors)
		for cell, step := 0, 0; cell < cells; cell += step {
			step = share(cells-cell, most)
			a.dst, a.src = at(dst, cell*c.Out+b.from), at(src, cell*c.In)
			if residual != nil {
				a.res = at(residual, cell*c.Out+b.from)
			}
			c.level.key(cellsKernel, step, b.vectors).run(&a)
		}
	}
}

// at is the address of element i. The caller has checked the bounds.
func at(s []float32, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), 4*i)
}
