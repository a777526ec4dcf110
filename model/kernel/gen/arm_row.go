package main

// armRow is a kernel of a convolution for arm64, in floats or 8 bits, while it is
// written. See row and quantRow for what it computes.
type armRow struct {
	*arm64
	tile
	layout
	lanes   gp            // the channels in use of a block's last vector, 1 to 4
	columns []column      // the cells that are read
	cell    map[column]gp // where they are
	step    map[column]gp // of a part's neighbours: 4 if they are on the board, else 0
	leap    map[column]gp // and four times that
}

// armRow writes the kernel of a tile.
func (s isa) armRow(file *armFile, t tile) {
	f := file.kernel(s.function(t), "rowArgs")
	r := &armRow{arm64: f, tile: t, layout: s.layout(t), lanes: f.load("mask"), columns: t.columns()}
	r.forEachRow(func() {
		if t.quant {
			for i := range r.sums {
				f.clear(vec(i))
			}
			r.products()
			r.addSets()
			r.scale()
			r.addResidual()
		} else {
			r.bias()
			r.addResidual()
			r.products()
		}
		r.floor()
		r.write()
		if t.quant {
			r.writeBytes()
		}
	})
	f.ins("RET")
}

// sum is the register of vector k of a cell.
func (r *armRow) sum(board, cell, k int) vec { return vec((board*r.n+cell)*r.vectors + k) }

// free is the first register behind the sums.
func (r *armRow) free() vec { return vec(r.sums) }

// forEachRow is tile.forEachRow.
func (r *armRow) forEachRow(row func()) {
	if !r.wholeBoard() {
		row()
		return
	}
	again, end := r.newLabel("board"), r.newLabel("end")
	r.label(again)
	row()
	n := r.load("count")
	r.ins("SUBS $1, %v, %v", n, n)
	r.ins("MOVD %v, %s", n, r.at("count"))
	r.ins("BEQ %s", end)
	r.ins("MOVD %s, %v", r.at("steps"), n)
	r.ins("ADD $%d, %v, %v", stepBytes, n, n)
	r.ins("MOVD %v, %s", n, r.at("steps"))
	r.release(n)
	moves := [][2]string{{"dst", "dstRow"}, {"res", "dstRow"}}
	if r.quant {
		moves = append(moves, [2]string{"quant", "quantRow"})
	}
	for _, m := range moves {
		none := r.newLabel("no_" + m[0])
		p := r.load(m[0])
		r.ins("CBZ %v, %s", p, none)
		r.addField(m[1], p)
		r.ins("MOVD %v, %s", p, r.at(m[0]))
		r.label(none)
		r.release(p)
	}
	r.ins("JMP %s", again)
	r.label(end)
}

// bias begins the sums of floats.
func (r *armRow) bias() {
	p := r.load("bias")
	r.loadVectors(p, 0, r.vectors)
	r.release(p)
	for i := r.vectors; i < r.results(); i++ {
		r.ins("VMOV V%d.B16, V%d.B16", i%r.vectors, i)
	}
}

// addSets adds up the sets of sums.
func (r *armRow) addSets() {
	for set := 1; set < r.sets; set++ {
		for i := range vec(r.results()) {
			r.add32(i, i, i+vec(set*r.results()))
		}
	}
}

// scale turns sums of whole numbers into floats: sum·scale + bias, rounded twice.
func (r *armRow) scale() {
	scale, bias := r.load("scale"), r.load("bias")
	s, b := r.free(), r.free()+1
	for k := range r.vectors {
		r.ins("FMOVQ %d(%v), F%d", 16*k, scale, s)
		r.ins("FMOVQ %d(%v), F%d", 16*k, bias, b)
		for i := k; i < r.results(); i += r.vectors {
			r.scvtf(vec(i), vec(i))
			r.fmul(vec(i), vec(i), s)
			r.fadd(vec(i), vec(i), b)
		}
	}
	r.release(scale, bias)
}

// addResidual adds res to the sums, if there is one.
func (r *armRow) addResidual() {
	none := r.newLabel("noResidual")
	res := r.load("res")
	r.ins("CBZ %v, %s", res, none)
	r.forEachSum(res, func(sum vec, k int, whole bool) {
		r.loadFloats(res, k, r.free(), whole)
		r.fadd(sum, sum, r.free())
	})
	r.label(none)
	r.release(res)
}

// floor raises the sums to the floor. A sum that is no number becomes the floor.
func (r *armRow) floor() {
	p := r.gp()
	r.ins("ADD $%d, %v, %v", r.fields.offset("rowArgs", "floor"), parameter, p)
	r.ins("VLD1R (%v), %s", p, list(r.free(), 1, words))
	r.release(p)
	for i := range vec(r.results()) {
		r.fmaxnm(i, i, r.free())
	}
}

// write stores the sums in dst, if there is one.
func (r *armRow) write() {
	none := r.newLabel("noFloats")
	dst := r.load("dst")
	r.ins("CBZ %v, %s", dst, none)
	r.forEachSum(dst, func(sum vec, k int, whole bool) { r.storeFloats(sum, dst, k, whole) })
	r.label(none)
	r.release(dst)
}

// writeBytes stores the results as bytes, if they are wanted. All lanes of all vectors
// are in use then.
func (r *armRow) writeBytes() {
	none := r.newLabel("noBytes")
	quant := r.load("quant")
	r.ins("CBZ %v, %s", quant, none)
	inverse, top := r.load("inverse"), r.free()
	r.largest(top)
	for k := range r.vectors {
		r.ins("FMOVQ %d(%v), F%d", 16*k, inverse, top+1)
		for i := k; i < r.results(); i += r.vectors {
			r.toWhole(vec(i), vec(i), top+1, top)
		}
	}
	r.release(inverse)
	r.forEachCell(quant, "quantCell", "quantBoard", func(board, cell int) {
		first := r.sum(board, cell, 0)
		r.narrow(first, r.vectors)
		r.ins("FMOV%s F%d, (%v)", map[int]string{1: "S", 2: "D", 4: "Q"}[r.vectors], first, quant)
	})
	r.label(none)
	r.release(quant)
}

// largest fills a vector with 127, the largest activation, as floats.
func (f *arm64) largest(v vec) {
	r := f.gp()
	f.ins("MOVD $0x42fe0000, %v", r)
	f.ins("VDUP %v, V%d.S4", r, v)
	f.release(r)
}

// toWhole makes d the whole numbers nearest to x·inverse, or top if that is less.
func (f *arm64) toWhole(d, x, inverse, top vec) {
	f.fmul(d, x, inverse)
	f.fminnm(d, d, top)
	f.fcvtns(d, d)
}

// narrow turns one, two or four vectors of whole numbers from 0 to 127 into bytes, in
// the first register.
func (f *arm64) narrow(first vec, vectors int) {
	f.uzp16(first, first, first+vec(min(1, vectors-1)))
	second := first
	if vectors == 4 {
		second = first + 2
		f.uzp16(second, second, second+1)
	}
	f.uzp8(first, first, second)
}

// forEachCell calls do for every cell of a tile, with p moved there from the first; cells
// and boards are the fields with the distances.
func (r *armRow) forEachCell(p gp, cells, boards string, do func(board, cell int)) {
	step, first := r.load(cells), p
	if r.boards() > 1 {
		first = r.gp()
		r.ins("MOVD %v, %v", p, first)
	}
	for board := range r.boards() {
		if board > 0 {
			r.ins("MOVD %v, %v", first, p)
			r.addField(boards, p)
		}
		for cell := range r.n {
			do(board, cell)
			if cell < r.n-1 {
				r.ins("ADD %v, %v", step, p)
			}
		}
	}
	r.release(step)
	if first != p {
		r.release(first)
	}
}

// forEachSum calls do for every sum of a tile, with p, which points into floats, moved to
// its cell. The code is written twice: for blocks whose last vector is in use as a whole,
// and for those of which only some lanes are.
func (r *armRow) forEachSum(p gp, do func(sum vec, k int, whole bool)) {
	some, end := r.newLabel("some"), r.newLabel("moved")
	each := func(all bool) {
		r.forEachCell(p, "cell", "board", func(board, cell int) {
			for k := range r.vectors {
				do(r.sum(board, cell, k), k, all || k < r.vectors-1)
			}
		})
	}
	r.ins("TBZ $2, %v, %s", r.lanes, some)
	each(true)
	r.ins("JMP %s", end)
	r.label(some)
	each(false)
	r.label(end)
}

// loadFloats loads vector k behind p: as a whole, or only the lanes in use.
func (r *armRow) loadFloats(p gp, k int, to vec, whole bool) {
	if whole {
		r.ins("FMOVQ %d(%v), F%d", 16*k, p, to)
		return
	}
	r.loadLanes(p, 16*k, to, r.lanes)
}

// storeFloats is the other way round.
func (r *armRow) storeFloats(from vec, p gp, k int, whole bool) {
	if whole {
		r.ins("FMOVQ F%d, %d(%v)", from, 16*k, p)
		return
	}
	r.storeLanes(from, p, 16*k, r.lanes)
}
