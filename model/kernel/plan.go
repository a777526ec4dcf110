package kernel

import "unsafe"

// A plan is how a layer is computed by kernels: in which blocks, and whether
// a row is computed at once. Its input is words of 32 bits: a float, or four
// 8-bit channels.
type plan struct {
	level  level
	kinds  kinds
	parts  bool // a row has no kernel of its own and is computed in parts
	blocks []block
	words  int // of all packed weights

	h, w, in, out, k int // in counts words
}

// kinds are the kernels of a kind of layer.
type kinds struct{ conv, pair, part, cells kind }

var (
	floats = kinds{convKernel, pairKernel, partKernel, cellsKernel}
	quants = kinds{quantConvKernel, quantPairKernel, quantPartKernel, quantCellsKernel}
)

func newPlan(l level, of kinds, h, w, in, out, k int) plan {
	p := plan{level: l, kinds: of, h: h, w: w, in: in, out: out, k: k}
	if l == portable {
		return p
	}
	switch whole := w < 10 && exists(l.key(of.conv, w, 1)); {
	case k == 1:
		p.blocks = l.blocks(out, of.cells, 1)
	case whole:
		p.blocks = l.blocks(out, of.conv, w)
	default:
		p.parts = true
		p.blocks = l.blocks(out, of.part, 1)
	}
	for i := range p.blocks {
		p.blocks[i].weight = p.words
		p.words += k * k * in * p.blocks[i].vectors * l.lanes()
		if k == 3 {
			p.blocks[i].steps = p.steps(4 * 3 * in * p.blocks[i].vectors * l.lanes())
		}
	}
	return p
}

// steps are those of the rows of a board; taps is the bytes of the weights of
// a row of taps.
func (p *plan) steps(taps int) (all []rowStep) {
	for y := range p.h {
		top, bottom := max(y-1, 0), min(y+1, p.h-1)
		all = append(all, rowStep{src: 4 * p.in * p.w * top, weight: (top - y + 1) * taps, rows: bottom - top + 1})
	}
	return all
}

// padded is the number of output channels in whole vectors.
func (p *plan) padded() int {
	lanes := p.level.lanes()
	return (p.out + lanes - 1) / lanes * lanes
}

// each calls f for the places of all packed weights: from place i on those of
// a tap and an input word, for output channels from to to.
func (p *plan) each(f func(i, ky, kx, in, from, to int)) {
	lanes := p.level.lanes()
	for _, b := range p.blocks {
		i := b.weight
		for ky := range p.k {
			for in := range p.in {
				for kx := range p.k {
					f(i, ky, kx, in, b.from, min(p.out, b.from+b.vectors*lanes))
					i += b.vectors * lanes
				}
			}
		}
	}
}

// run computes n boards. Its arguments give the start of every operand, floor
// and, in 8 bits, the scale.
func (p *plan) run(a rowArgs, n int) {
	a.in, a.srcCell, a.cell, a.quantCell = p.in, 4*p.in, 4*p.out, p.out
	if p.k == 1 {
		p.runCells(a, n*p.h*p.w)
		return
	}
	cells := p.h * p.w
	a.srcBoard, a.board, a.quantBoard = a.srcCell*cells, a.cell*cells, a.quantCell*cells
	a.srcNext = a.srcCell*p.w - a.srcCell
	a.dstRow, a.quantRow = a.cell*p.w, a.quantCell*p.w
	p.runRows(a, n)
}

// of is the arguments for the channels of a block.
func (a rowArgs) of(b *block) rowArgs {
	a.mask = b.mask
	a.dst, a.res, a.quant = forward(a.dst, 4*b.from), forward(a.res, 4*b.from), forward(a.quant, b.from)
	a.bias, a.scale, a.inverse = forward(a.bias, 4*b.from), forward(a.scale, 4*b.from), forward(a.inverse, 4*b.from)
	a.weight = forward(a.weight, 4*b.weight)
	return a
}

// write points to a cell of what is written, from the arguments for the first.
func (a *rowArgs) write(first *rowArgs, cell int) {
	a.dst, a.res = forward(first.dst, cell*a.cell), forward(first.res, cell*a.cell)
	a.quant = forward(first.quant, cell*a.quantCell)
}

// forward moves a pointer that may be nil.
func forward(p unsafe.Pointer, bytes int) unsafe.Pointer {
	if p == nil {
		return nil
	}
	return unsafe.Add(p, bytes)
}

// runRows runs a 3×3 convolution board by board, or two boards at a time where
// there are kernels for that: narrow blocks alone would wait for their own sums.
func (p *plan) runRows(all rowArgs, n int) {
	for i := range p.blocks {
		b := &p.blocks[i]
		first := all.of(b)
		a := first
		one, two := p.level.key(p.kinds.conv, p.w, b.vectors), p.level.key(p.kinds.pair, p.w, b.vectors)
		pairs := !p.parts && exists(two)
		for board, step := 0, 0; board < n; board += step {
			kernel := one
			step = 1
			if pairs && board+1 < n {
				kernel, step = two, 2
			}
			start := board * p.h * p.w
			if !p.parts {
				a.write(&first, start)
				a.src = unsafe.Add(first.src, start*a.srcCell)
				a.steps, a.count = unsafe.Pointer(unsafe.SliceData(b.steps)), p.h
				kernel.run(&a)
				continue
			}
			for y, step := range b.steps {
				a.write(&first, start+y*p.w)
				a.src = unsafe.Add(first.src, start*a.srcCell+step.src)
				a.weight, a.rows = unsafe.Add(first.weight, step.weight), step.rows
				p.runParts(a, b.vectors)
			}
		}
	}
}

// zero stands for every channel of a cell off the board.
var zero float32

// runParts computes one row in parts, given the arguments of its first.
func (p *plan) runParts(a rowArgs, vectors int) {
	most := p.level.most(p.kinds.part, vectors)
	for x, step := 0, 0; x < p.w; x += step {
		step = share(p.w-x, most)
		a.left, a.leftStep, a.leftNext = unsafe.Pointer(&zero), 0, 0
		if x > 0 {
			a.left, a.leftStep, a.leftNext = unsafe.Add(a.src, -a.srcCell), 4, a.srcNext
		}
		a.right, a.rightStep, a.rightNext = unsafe.Pointer(&zero), 0, 0
		if x+step < p.w {
			a.right, a.rightStep, a.rightNext = unsafe.Add(a.src, step*a.srcCell), 4, a.srcNext
		}
		p.level.key(p.kinds.part, step, vectors).run(&a)
		if x+step < p.w {
			a.src = unsafe.Add(a.src, step*a.srcCell)
			a.dst, a.res = forward(a.dst, step*a.cell), forward(a.res, step*a.cell)
			a.quant = forward(a.quant, step*a.quantCell)
		}
	}
}

// runCells runs a 1×1 convolution on some cells at a time.
func (p *plan) runCells(all rowArgs, cells int) {
	for i := range p.blocks {
		b := &p.blocks[i]
		first := all.of(b)
		a := first
		most := p.level.most(p.kinds.cells, b.vectors)
		for cell, step := 0, 0; cell < cells; cell += step {
			step = share(cells-cell, most)
			a.write(&first, cell)
			a.src = unsafe.Add(first.src, cell*a.srcCell)
			p.level.key(p.kinds.cells, step, b.vectors).run(&a)
		}
	}
}
