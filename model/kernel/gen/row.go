package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A column is a cell of the input that a tile reads. x counts from the tile's
// first cell, so that -1 and t.n are its neighbours in a wider row.
type column struct{ board, x int }

// columns lists the cells that a tile reads of one row.
func (t tile) columns() (all []column) {
	from, to := 0, t.n
	if t.kind == part {
		from, to = -1, t.n+1
	}
	for board := range t.boards() {
		for x := from; x < to; x++ {
			all = append(all, column{board, x})
		}
	}
	return all
}

func (t tile) boards() int {
	if t.kind == pair {
		return 2
	}
	return 1
}

func (t tile) taps() int {
	if t.kind == cells {
		return 1
	}
	return 3
}

// row computes a tile of a convolution: dst = max(floor, bias + res + src ∗ w).
// Every sum takes its products in the order row of taps, channel, tap,
// whatever the instruction set and the tile.
func (s isa) row(t tile) {
	a := s.begin(t, "rowArgs")
	r := s.registers(a, t)
	t.eachRow(a, func() {
		bias := a.load("bias")
		for i := range r.sums {
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

// stepBytes is the size of a rowStep.
const stepBytes = 24

// eachRow repeats what computes a row for all rows of a board. The arguments
// move along, but never beyond what they point into.
func (t tile) eachRow(a args, row func()) {
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

// registers are those of a row kernel: the sums, and what is left.
type registers struct {
	sums        int
	sum         func(board, cell, k int) reg.VecPhysical
	free        []reg.VecPhysical
	tmp         reg.VecPhysical
	load, store func(reg.Register, int, reg.VecPhysical)
}

func (s isa) registers(a args, t tile) registers {
	sums := t.boards() * t.n * t.vectors
	r := registers{sums: sums, free: s.regs[sums:], tmp: s.regs[sums+1]}
	r.sum = func(board, cell, k int) reg.VecPhysical {
		return s.regs[(board*t.n+cell)*t.vectors+k]
	}
	load, store := s.edge(a, t.vectors, r.free[0])
	r.load = load
	r.store = func(base reg.Register, k int, from reg.VecPhysical) { store(from, base, k) }
	return r
}

// addResidual adds res to the sums, if there is one.
func (s isa) addResidual(a args, t tile, r registers) {
	res := a.load("res")
	TESTQ(res, res)
	JZ(LabelRef("noResidual"))
	t.each(a, res, "cell", "board", func(board, cell, k int) {
		r.load(res, k, r.tmp)
		VADDPS(r.tmp, r.sum(board, cell, k), r.sum(board, cell, k))
	})
	Label("noResidual")
}

// floor raises the sums to the floor.
func (s isa) floor(a args, t tile, r registers) {
	VBROADCASTSS(a.at("floor"), r.tmp)
	for i := range r.sums {
		VMAXPS(r.tmp, s.regs[i], s.regs[i])
	}
}

// write stores the sums in dst.
func (s isa) write(a args, t tile, r registers) {
	dst := a.load("dst")
	t.each(a, dst, "cell", "board", func(board, cell, k int) {
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
	if s.bytes == 64 || s.vnni && len(t.columns()) < len(r.free) {
		s.channelByWeight(t, r, in, weight)
	} else {
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

// each moves p over the cells of a tile, whose distances two fields give.
func (t tile) each(a args, p reg.GPVirtual, cells, boards string, f func(board, cell, k int)) {
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

// channelByWeight multiplies one input channel with many registers: the cells
// are broadcast once and each weight vector is loaded once.
func (s isa) channelByWeight(t tile, r registers, in *input, weight reg.Register) {
	values := map[column]reg.VecPhysical{}
	for i, c := range t.columns() {
		values[c] = r.free[i]
		VBROADCASTSS(in.at(c), r.free[i])
	}
	weights := r.free[len(values):]
	for i := range t.taps() * t.vectors {
		tap, k := i/t.vectors, i%t.vectors
		w := weights[i%len(weights)]
		VMOVUPS(Mem{Base: weight, Disp: i * s.bytes}, w)
		for board := range t.boards() {
			for cell := range t.n {
				if v, ok := values[column{board, cell + tap - t.taps()/2}]; ok {
					switch sum := r.sum(board, cell, k); {
					case s.vnni:
						dotProduct(w, v, sum)
					case t.quant:
						VPDPBUSD(w, v, sum)
					default:
						VFMADD231PS(w, v, sum)
					}
				}
			}
		}
	}
}

// channelByCell multiplies one input channel with few registers: each cell is
// broadcast once and the weights are read from memory. A sum takes its
// products from left to right, as by channelByWeight.
func (s isa) channelByCell(t tile, r registers, in *input, weight reg.Register) {
	values := r.free
	if t.quant {
		values = r.free[:1] // the others hold a product and ones
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
				if !t.quant {
					VFMADD231PS(w, v, sum)
					continue
				}
				if s.vnni {
					VMOVDQU(w, r.tmp)
					dotProduct(r.tmp, v, sum)
					continue
				}
				VPMADDUBSW(w, v, r.tmp) // pairs: 2·127·127 is below 2^15
				VPMADDWD(r.free[2], r.tmp, r.tmp)
				VPADDD(r.tmp, sum, sum)
			}
		}
	}
}

// input walks over the cells that a tile reads, channel by channel.
type input struct {
	tile
	a      args
	boards []reg.GPVirtual       // the first cell, of each board
	sides  map[int]reg.GPVirtual // the neighbour at x, and
	steps  map[int]reg.GPVirtual // how far it moves: 0 off the board
	cells  func(base reg.Register, x int) Mem
}

func (t tile) input(a args) *input {
	in := &input{tile: t, a: a, boards: []reg.GPVirtual{a.load("src")}}
	if t.wholeBoard() {
		ADDQ(Mem{Base: a.load("steps")}, in.boards[0])
	}
	if t.kind == pair {
		second := a.load("srcBoard")
		ADDQ(in.boards[0], second)
		in.boards = append(in.boards, second)
	}
	if t.kind == part {
		in.sides = map[int]reg.GPVirtual{-1: a.load("left"), t.n: a.load("right")}
		in.steps = map[int]reg.GPVirtual{-1: a.load("leftStep"), t.n: a.load("rightStep")}
	}
	if t.n > 1 {
		in.cells = strided(a.load("srcCell"), t.n)
	}
	return in
}

func (in *input) at(c column) Mem {
	if side, ok := in.sides[c.x]; ok {
		return Mem{Base: side}
	}
	if c.x == 0 {
		return Mem{Base: in.boards[c.board]}
	}
	return in.cells(in.boards[c.board], c.x)
}

func (in *input) nextChannel() {
	for _, b := range in.boards {
		ADDQ(U32(4), b)
	}
	if in.kind == part {
		ADDQ(in.steps[-1], in.sides[-1])
		ADDQ(in.steps[in.n], in.sides[in.n])
	}
}

func (in *input) nextRow() {
	for _, b := range in.boards {
		ADDQ(in.a.at("srcNext"), b)
	}
	if in.kind == part {
		ADDQ(in.a.at("leftNext"), in.sides[-1])
		ADDQ(in.a.at("rightNext"), in.sides[in.n])
	}
}

// strided returns the address of what lies x strides behind a register, x < n.
func strided(stride reg.GPVirtual, n int) func(base reg.Register, x int) Mem {
	multiples := map[int]reg.GPVirtual{1: stride}
	sum := func(of, a, times int) {
		if n > of {
			multiples[of] = GP64()
			LEAQ(Mem{Base: multiples[a], Index: stride, Scale: uint8(times)}, multiples[of])
		}
	}
	sum(3, 1, 2)
	sum(5, 1, 4)
	sum(7, 3, 4)
	return func(base reg.Register, x int) Mem {
		for scale := 1; scale <= 8; scale *= 2 {
			if m, ok := multiples[x/scale]; ok && x%scale == 0 {
				return Mem{Base: base, Index: m, Scale: uint8(scale)}
			}
		}
		panic(fmt.Sprint("no address for cell ", x))
	}
}
