package kernel

import "unsafe"

// A plan says how a convolution is computed: which kernels are called, and for
// which block of output channels and cells each. The same plan serves floats and
// 8 bits, because it counts input channels and weights in words of 32 bits: a
// word is one float, or four 8-bit numbers.
type plan struct {
	level  level
	kinds  kinds
	parts  bool // no kernel computes a whole row: rows are computed in parts
	blocks []block
	words  int // number of packed weights, in words

	h, w, in, out, k int // the board, the channels and the kernel's width; in counts words
}

// kinds names the kernels of one number format.
type kinds struct {
	conv  kind // 3×3, whole rows
	pair  kind // 3×3, the same row of two boards
	part  kind // 3×3, a part of a row
	cells kind // 1×1
}

var (
	floats = kinds{convKernel, pairKernel, partKernel, cellsKernel}
	quants = kinds{quantConvKernel, quantPairKernel, quantPartKernel, quantCellsKernel}
)

// newPlan plans a k×k convolution on boards of h×w cells, from in words to out
// channels a cell.
func newPlan(l level, names kinds, h, w, in, out, k int) plan {
	p := plan{level: l, kinds: names, h: h, w: w, in: in, out: out, k: k}
	if l == portable {
		return p
	}
	if l.layers() {
		p.layerBlocks()
		return p
	}
	switch whole := w < 10 && exists(l.key(names.conv, w, 1)); {
	case k == 1:
		p.blocks = l.blocks(out, names.cells, 1, 4)
	case whole:
		widest := 4
		if names == floats && exists(l.key(names.pair, w, 2)) && !exists(l.key(names.pair, w, 4)) {
			widest = 2 // two boards then have as many sums as one, and read half as many weights for them
		}
		p.blocks = l.blocks(out, names.conv, w, widest)
	default:
		p.parts = true
		p.blocks = l.blocks(out, names.part, 1, 4)
	}
	for i := range p.blocks {
		p.blocks[i].weight = p.words
		switch {
		case k == 1:
			p.blocks[i].cells = l.largest(names.cells, p.blocks[i].vectors)
		case p.parts:
			p.blocks[i].cells = l.largest(names.part, p.blocks[i].vectors)
		}
		p.words += k * k * in * p.blocks[i].vectors * l.lanes()
		if k == 3 {
			p.blocks[i].steps = p.rowSteps(4 * 3 * in * p.blocks[i].vectors * l.lanes())
		}
	}
	return p
}

// layerBlocks splits the output channels into the blocks of a kernel that computes a
// whole layer: two vectors each, and one for the rest.
func (p *plan) layerBlocks() {
	lanes := p.level.lanes()
	for from := 0; from < p.out; {
		b := block{from: from, vectors: 1, weight: p.words}
		if from+2*lanes <= p.out {
			b.vectors = 2
		}
		p.blocks = append(p.blocks, b)
		p.words += p.k * p.k * p.in * b.vectors * lanes
		from += b.vectors * lanes
	}
}

// rowSteps returns, for each row of a board, where a 3×3 kernel begins to read:
// the row above, unless there is none. tapRowBytes is the size of the weights of
// one row of taps, which are skipped where that row is off the board.
func (p *plan) rowSteps(tapRowBytes int) (all []rowStep) {
	for y := range p.h {
		top, bottom := max(y-1, 0), min(y+1, p.h-1)
		all = append(all, rowStep{src: 4 * p.in * p.w * top, weight: (top - y + 1) * tapRowBytes, rows: bottom - top + 1})
	}
	return all
}

// padded is the number of output channels, rounded up to whole vectors.
func (p *plan) padded() int {
	lanes := p.level.lanes()
	return (p.out + lanes - 1) / lanes * lanes
}

// forEachRun visits the packed weights in the order in which they lie in memory.
// A run is the weights of one tap (ky, kx) and one input word for the output
// channels from ≤ out < to of one block; it begins at index i of the packed
// weights.
func (p *plan) forEachRun(f func(i, ky, kx, in, from, to int)) {
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

// run computes n boards. The caller has set a's pointers to the start of every
// operand, and its floor; run sets the distances.
func (p *plan) run(a *rowArgs, n int) {
	if p.level.layers() {
		p.runLayer(a, n)
		return
	}
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

// toBlock moves all pointers of the arguments from the first channel of all to the
// first of block b.
func (a *rowArgs) toBlock(b *block) {
	a.mask = b.mask
	a.dst, a.res, a.quant = forward(a.dst, 4*b.from), forward(a.res, 4*b.from), forward(a.quant, b.from)
	a.bias, a.scale, a.inverse = forward(a.bias, 4*b.from), forward(a.scale, 4*b.from), forward(a.inverse, 4*b.from)
	a.weight = forward(a.weight, 4*b.weight)
}

// moveResults points the results and the residual to a cell, counted from that
// of the arguments first.
func (a *rowArgs) moveResults(first *rowArgs, cell int) {
	a.dst, a.res = forward(first.dst, cell*a.cell), forward(first.res, cell*a.cell)
	a.quant = forward(first.quant, cell*a.quantCell)
}

// forward moves a pointer forward by some bytes; nil stays nil.
func forward(p unsafe.Pointer, bytes int) unsafe.Pointer {
	if p == nil {
		return nil
	}
	return unsafe.Add(p, bytes)
}

// runRows computes a 3×3 convolution board by board, or two boards at a time
// where there are kernels for that: a narrow block of one board has too few sums
// to keep the processor busy.
func (p *plan) runRows(all *rowArgs, n int) {
	for i := range p.blocks {
		b := &p.blocks[i]
		first := *all
		first.toBlock(b)
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
				a.moveResults(&first, start)
				a.src = unsafe.Add(first.src, start*a.srcCell)
				a.steps, a.count = unsafe.Pointer(unsafe.SliceData(b.steps)), p.h
				kernel.run(&a)
				continue
			}
			for y, step := range b.steps {
				a.moveResults(&first, start+y*p.w)
				a.src = unsafe.Add(first.src, start*a.srcCell+step.src)
				a.weight, a.rows = unsafe.Add(first.weight, step.weight), step.rows
				p.runParts(a, b)
			}
		}
	}
}

// zero stands for every channel of a cell off the board. A kernel may read four words
// at a time.
var zero [4]float32

// runParts computes one row in parts; a is the arguments of the first of them.
func (p *plan) runParts(a rowArgs, b *block) {
	for x, step := 0, 0; x < p.w; x += step {
		step = firstPart(p.w-x, b.cells)
		a.left, a.leftStep, a.leftNext = unsafe.Pointer(&zero), 0, 0
		if x > 0 {
			a.left, a.leftStep, a.leftNext = unsafe.Add(a.src, -a.srcCell), 4, a.srcNext
		}
		a.right, a.rightStep, a.rightNext = unsafe.Pointer(&zero), 0, 0
		if x+step < p.w {
			a.right, a.rightStep, a.rightNext = unsafe.Add(a.src, step*a.srcCell), 4, a.srcNext
		}
		p.level.key(p.kinds.part, step, b.vectors).run(&a)
		if x+step < p.w {
			a.src = unsafe.Add(a.src, step*a.srcCell)
			a.dst, a.res = forward(a.dst, step*a.cell), forward(a.res, step*a.cell)
			a.quant = forward(a.quant, step*a.quantCell)
		}
	}
}

// runCells computes a 1×1 convolution, some cells at a time: boards do not matter.
func (p *plan) runCells(all *rowArgs, cells int) {
	for i := range p.blocks {
		b, a := &p.blocks[i], all
		if len(p.blocks) > 1 {
			copied := *all
			a = &copied
		}
		a.toBlock(b)
		for left := cells; ; {
			step := firstPart(left, b.cells)
			p.level.key(p.kinds.cells, step, b.vectors).run(a)
			if left -= step; left == 0 {
				break
			}
			a.src = unsafe.Add(a.src, step*a.srcCell)
			a.moveResults(a, step)
		}
	}
}
