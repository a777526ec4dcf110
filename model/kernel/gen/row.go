package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// row writes the kernel of a tile in floats:
//
//	dst = max(floor, bias + res + src ∗ weight)
//
// Each sum takes its products by row of taps, then channel, then tap, whatever
// the instruction set and the tile.
func (s isa) row(t tile) {
	a := s.begin(t, "rowArgs")
	r := s.rowRegisters(a, t)
	t.forEachRow(a, func() {
		bias := a.load("bias")
		for i := range r.results {
			VMOVUPS(Mem{Base: bias, Disp: s.bytes * (i % t.vectors)}, s.regs[i])
		}
		s.addResidual(a, t, r)
		s.products(a, t, r)
		s.floor(a, t, r)
		s.write(a, t, r)
	})
	VZEROUPPER()
	RET()
}

// wholeBoard reports whether a kernel computes all rows of a board.
func (t tile) wholeBoard() bool { return t.kind == conv || t.kind == pair }

// stepBytes is the size of package kernel's rowStep.
const stepBytes = 24

// forEachRow writes the code of row once, in a loop over the rows of a board if
// the kernel computes whole boards. The loop moves the pointers in the arguments
// to the next row, but not after the last: they never leave their slices.
func (t tile) forEachRow(a args, row func()) {
	if !t.wholeBoard() {
		row()
		return
	}
	Label("board")
	row()
	DECQ(a.at("count"))
	JZ(LabelRef("end"))
	ADDQ(U8(stepBytes), a.at("steps"))
	moves := [][2]string{{"dst", "dstRow"}, {"res", "dstRow"}}
	if t.quant {
		moves = append(moves, [2]string{"quant", "quantRow"})
	}
	for _, m := range moves {
		p := a.load(m[0])
		TESTQ(p, p)
		JZ(LabelRef("no_" + m[0]))
		ADDQ(a.at(m[1]), p)
		MOVQ(p, a.at(m[0]))
		Label("no_" + m[0])
	}
	JMP(LabelRef("board"))
	Label("end")
}

// registers says how a row kernel uses the vector registers.
type registers struct {
	layout
	results     int                                      // number of sums, of one set; they come first
	sum         func(board, cell, k int) reg.VecPhysical // that of vector k of a cell
	free        []reg.VecPhysical                        // all registers behind the sums
	tmp         reg.VecPhysical                          // one of free
	load, store func(reg.Register, int, reg.VecPhysical) // see vectorMoves
}

func (s isa) rowRegisters(a args, t tile) registers {
	n := t.results()
	r := registers{layout: s.layout(t), results: n, free: s.regs[n:], tmp: s.regs[n+1]}
	r.sum = func(board, cell, k int) reg.VecPhysical {
		return s.regs[(board*t.n+cell)*t.vectors+k]
	}
	load, store := s.vectorMoves(a, t.vectors, r.free[0])
	r.load = load
	r.store = func(base reg.Register, k int, from reg.VecPhysical) { store(from, base, k) }
	return r
}

// addResidual adds res to the sums, if there is one.
func (s isa) addResidual(a args, t tile, r registers) {
	res := a.load("res")
	TESTQ(res, res)
	JZ(LabelRef("noResidual"))
	t.forEachSum(a, res, "cell", "board", func(board, cell, k int) {
		r.load(res, k, r.tmp)
		VADDPS(r.tmp, r.sum(board, cell, k), r.sum(board, cell, k))
	})
	Label("noResidual")
}

// floor raises the sums to the floor.
func (s isa) floor(a args, t tile, r registers) {
	VBROADCASTSS(a.at("floor"), r.tmp)
	for i := range r.results {
		VMAXPS(r.tmp, s.regs[i], s.regs[i])
	}
}

// write stores the sums in dst.
func (s isa) write(a args, t tile, r registers) {
	dst := a.load("dst")
	t.forEachSum(a, dst, "cell", "board", func(board, cell, k int) {
		r.store(dst, k, r.sum(board, cell, k))
	})
}

// products adds all products of a tile to the sums.
func (s isa) products(a args, t tile, r registers) {
	in := t.input(a)
	weight, rows := a.load("weight"), GP64()
	switch {
	case t.wholeBoard():
		step := a.load("steps")
		ADDQ(Mem{Base: step, Disp: 8}, weight)
		MOVQ(Mem{Base: step, Disp: 16}, rows)
	case t.taps() > 1:
		MOVQ(a.at("rows"), rows)
	}
	Label("rows")
	n := a.load("in")
	Label("channels")
	switch r.order {
	case byWeight:
		s.channelByWeight(t, r, in, weight)
	case byTap:
		s.channelByTap(t, r, in, weight)
	case byCell:
		s.channelByCell(t, r, in, weight)
	}
	in.nextChannel()
	ADDQ(U32(uint32(t.taps()*t.vectors*s.bytes)), weight)
	DECQ(n)
	JNZ(LabelRef("channels"))
	if t.taps() > 1 {
		in.nextRow()
		DECQ(rows)
		JNZ(LabelRef("rows"))
	}
}

// forEachSum calls f for every sum of a tile: vector k of a cell of a board. p
// points to the first cell; before each call it is moved to the cell at hand, by
// the distances in the fields called cells (to the next cell) and boards (to the
// next board).
func (t tile) forEachSum(a args, p reg.GPVirtual, cells, boards string, f func(board, cell, k int)) {
	step := a.load(cells)
	first := p
	if t.boards() > 1 {
		first = GP64()
		MOVQ(p, first)
	}
	for board := range t.boards() {
		if board > 0 {
			MOVQ(first, p)
			ADDQ(a.at(boards), p)
		}
		for cell := range t.n {
			for k := range t.vectors {
				f(board, cell, k)
			}
			if cell < t.n-1 {
				ADDQ(step, p)
			}
		}
	}
}

// channelByWeight writes the products of one input word in the order of that name: each
// cell is broadcast once, to a register of its own, and each vector of weights loaded once.
func (s isa) channelByWeight(t tile, r registers, in *input, weight reg.Register) {
	values := map[column]reg.VecPhysical{}
	for i, c := range t.columns() {
		values[c] = r.free[i]
		VBROADCASTSS(in.at(c), r.free[i])
	}
	weights := r.free[r.values:][:r.weights]
	for i := range t.taps() * t.vectors {
		tap, k := i/t.vectors, i%t.vectors
		w := weights[i%len(weights)]
		VMOVUPS(Mem{Base: weight, Disp: i * s.bytes}, w)
		for board := range t.boards() {
			for cell := range t.n {
				if v, ok := values[column{board, cell + tap - t.taps()/2}]; ok {
					if sum := r.sum(board, cell, k); t.quant {
						s.dotProduct(w, v, sum)
					} else {
						VFMADD231PS(w, v, sum)
					}
				}
			}
		}
	}
}

// channelByTap writes the products of one input word in floats: the weights of a tap are
// loaded once, and each cell is broadcast for each tap.
func (s isa) channelByTap(t tile, r registers, in *input, weight reg.Register) {
	weights, values := r.free[:r.weights], r.free[r.weights:][:r.values]
	n := 0
	for tap := range t.taps() {
		for k, w := range weights {
			VMOVUPS(Mem{Base: weight, Disp: (tap*t.vectors + k) * s.bytes}, w)
		}
		for _, c := range t.columns() {
			cell := c.x - tap + t.taps()/2
			if cell < 0 || cell >= t.n {
				continue
			}
			v := values[n%len(values)]
			n++
			VBROADCASTSS(in.at(c), v)
			for k, w := range weights {
				VFMADD231PS(w, v, r.sum(c.board, cell, k))
			}
		}
	}
}

// channelByCell writes the products of one input word: each cell is broadcast once. All
// weights of the word are loaded if the layout has registers for them, and else read from
// memory for each product.
func (s isa) channelByCell(t tile, r registers, in *input, weight reg.Register) {
	values := r.free[r.weights:][:r.values]
	for i := range r.weights {
		VMOVUPS(Mem{Base: weight, Disp: i * s.bytes}, r.free[i])
	}
	for i, c := range t.columns() {
		v := values[i%len(values)]
		VBROADCASTSS(in.at(c), v)
		for tap := range t.taps() {
			cell := c.x - tap + t.taps()/2
			if cell < 0 || cell >= t.n {
				continue
			}
			for k := range t.vectors {
				w, sum := Mem{Base: weight, Disp: (tap*t.vectors + k) * s.bytes}, r.sum(c.board, cell, k)
				if r.weights > 0 {
					VFMADD231PS(r.free[tap*t.vectors+k], v, sum)
					continue
				}
				if !t.quant {
					VFMADD231PS(w, v, sum)
					continue
				}
				if s.dot == fused {
					VMOVDQU(w, r.tmp)
					s.dotProduct(r.tmp, v, sum)
					continue
				}
				VPMADDUBSW(w, v, r.tmp) // pairs: 2·127·127 is below 2^15
				VPMADDWD(r.free[2], r.tmp, r.tmp)
				VPADDD(r.tmp, sum, sum)
			}
		}
	}
}
