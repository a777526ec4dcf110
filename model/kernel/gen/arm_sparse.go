package main

import "math/bits"

// armGather is gather for arm64.
func (s isa) armGather(file *armFile, t tile) {
	f := file.kernel(s.function(t), "gatherArgs")
	dst := f.load("dst")
	f.vectorsAt(dst, 0, t.vectors, f.loadVectors)
	y := s.layout(t)
	coefficient, row, rows := vec(y.sums), vec(y.sums+y.values), vec(y.weights)
	coefficients, step := f.load("coefficients"), f.load("coefficientStep")
	f.eachChosen(func(p gp) {
		f.ins("VLD1R.P (%v)(%v), %s", coefficients, step, list(coefficient, 1, words))
		forEachFour(0, t.vectors, func(sum vec, n int) {
			from := row + sum%rows
			f.loadVectors(p, from, n)
			for k := range vec(n) {
				f.fmla(sum+k, from+k, coefficient, 0)
			}
		})
	})
	f.vectorsAt(dst, 0, t.vectors, f.storeVectors)
	f.ins("RET")
}

// armScatter is scatter for arm64.
func (s isa) armScatter(file *armFile, t tile) {
	f := file.kernel(s.function(t), "gatherArgs")
	src := f.load("dst")
	f.vectorsAt(src, 0, t.vectors, f.loadVectors)
	y := s.layout(t)
	coefficient, row, rows := vec(y.sums), vec(y.sums+y.values), vec(y.weights)
	coefficients, step, to := f.load("coefficients"), f.load("coefficientStep"), f.gp()
	f.eachChosen(func(p gp) {
		f.ins("VLD1R.P (%v)(%v), %s", coefficients, step, list(coefficient, 1, words))
		f.ins("MOVD %v, %v", p, to)
		forEachFour(0, t.vectors, func(first vec, n int) {
			sums := row + first%rows
			f.loadVectors(p, sums, n)
			for k := range vec(n) {
				f.fmla(sums+k, first+k, coefficient, 0)
			}
			f.storeVectors(to, sums, n)
		})
	})
	f.ins("RET")
}

// vectorsAt loads or stores vectors that lie one behind the other, and leaves p as it is.
func (f *arm64) vectorsAt(p gp, first vec, n int, move func(p gp, first vec, n int)) {
	at := f.gp()
	f.ins("MOVD %v, %v", p, at)
	forEachFour(first, n, func(first vec, n int) { move(at, first, n) })
	f.release(at)
}

// storeVectors stores up to four vectors and moves behind them.
func (f *arm64) storeVectors(to gp, first vec, n int) {
	f.ins("VST1.P %s, %d(%v)", list(first, n, words), 16*n, to)
}

// eachChosen is eachChosen for arm64: do works on the row at the register it gets, which
// it may change. Rows are taken four at a time, after as many single ones as are left over.
func (f *arm64) eachChosen(do func(row gp)) {
	rows, stride, index, n := f.load("rows"), f.load("stride"), f.load("index"), f.load("count")
	row, single := f.gp(), f.gp()
	next := func() {
		f.chosenRow(rows, stride, index, row)
		do(row)
	}
	f.ins("ANDS $3, %v, %v", n, single)
	f.ins("BEQ fours")
	f.label("single")
	next()
	f.countDown(single, "single")
	f.label("fours")
	f.ins("LSR $2, %v, %v", n, n)
	f.ins("CBZ %v, end", n)
	f.label("chosen")
	for range 4 {
		next()
	}
	f.countDown(n, "chosen")
	f.label("end")
	f.release(rows, stride, index, n, row, single)
}

// chosenRow sets row to the address of the row whose number index points to, and moves
// index on.
func (f *arm64) chosenRow(rows, stride, index, row gp) {
	f.ins("MOVHU.P 2(%v), %v", index, row)
	f.ins("MADD %v, %v, %v, %v", stride, rows, row, row)
}

// armColumns is columns for arm64.
func (s isa) armColumns(file *armFile, t tile) {
	f := file.kernel(s.function(t), "columnArgs")
	y := s.layout(t)
	bias := f.load("bias")
	f.vectorsAt(bias, 0, t.vectors, f.loadVectors)
	f.eachChosen(func(p gp) {
		forEachFour(0, t.vectors, func(sum vec, n int) {
			row := vec(y.sums) + sum%vec(y.weights)
			f.loadVectors(p, row, n)
			for k := range vec(n) {
				f.add16(sum+k, sum+k, row+k)
			}
		})
	})
	free := vec(t.vectors)
	zero, top, shift := free, free+1, free+2
	r := f.load("shift")
	f.clear(zero)
	f.ins("NEG %v, %v", r, r) // a shift to the left by less than nothing
	f.ins("VDUP %v, V%d.H8", r, shift)
	f.ins("MOVH %s, %v", f.at("top"), r)
	f.ins("VDUP %v, V%d.H8", r, top)
	dst := f.load("dst")
	for k := range vec(t.vectors) {
		f.sshl16(k, k, shift)
		f.smax16(k, k, zero)
		f.smin16(k, k, top)
		if k%2 == 1 {
			f.uzp8(k/2, k-1, k)
		}
	}
	f.vectorsAt(dst, 0, t.vectors/2, f.storeVectors)
	f.ins("RET")
}

// An armFours writes a loop over fours of numbers of rows, which are multiplied with a
// vector, 64 bytes at a time while there are so many, and then 32. The sums come first, row
// by row, each in as many sets as the layout has.
type armFours struct {
	*arm64
	layout
	product func(row int, x, w vec, i int)
	finish  func() // writes the results of four rows to dst

	dst, index, src, groups, weight, stride, in gp // the arguments
	rows                                        [chosenAtOnce]gp
}

// fours loads the arguments of the level's kernel of a kind.
func (s isa) fours(f *arm64, k kind) *armFours {
	t, _ := s.one(k)
	w := &armFours{
		arm64: f, layout: s.layout(t),
		dst: f.load("dst"), index: f.load("index"), src: f.load("src"), groups: f.load("groups"),
		weight: f.load("rows"), stride: f.load("stride"), in: f.load("in"),
	}
	for i := range w.rows {
		w.rows[i] = f.gp()
	}
	return w
}

func (f *armFours) write() {
	x, n := f.gp(), f.gp()
	xs := vec(f.sums)
	inputs := func(vectors int) {
		f.loadVectors(x, xs, vectors)
		for i, row := range f.rows {
			w := xs + vec(f.values) + vec(i*f.values%f.weights)
			f.loadVectors(row, w, vectors)
			for j := range vectors {
				f.product(i, xs+vec(j), w+vec(j), j)
			}
		}
	}
	f.label("groups")
	f.beginRows()
	f.ins("MOVD %v, %v", f.src, x)
	f.ins("LSR $%d, %v, %v", bits.TrailingZeros(uint(16*f.values)), f.in, n)
	f.ins("CBZ %v, rest", n)
	f.label("inputs")
	inputs(f.values)
	f.countDown(n, "inputs")
	f.label("rest")
	f.ins("TBZ $5, %v, added", f.in)
	inputs(2)
	f.label("added")
	f.finish()
	f.countDown(f.groups, "groups")
	f.ins("RET")
}

// beginRows finds the next four rows and sets the sums to zero.
func (f *armFours) beginRows() {
	for _, row := range f.rows {
		f.chosenRow(f.weight, f.stride, f.index, row)
	}
	for i := range vec(f.sums) {
		f.clear(i)
	}
}

// armLogits is logits for arm64. A row has one sum, because an addition to it waits only a
// cycle for the one before.
func (s isa) armLogits(file *armFile) {
	f := s.fours(file.kernel(s.name+"Logits", "logitArgs"), logits)
	tmp := vec(f.sums + f.values + f.weights)
	f.product = func(row int, x, w vec, i int) {
		if s.dot == fused {
			f.sdotVectors(vec(row), w, x)
		} else {
			f.pairs(vec(row), w, x, x, tmp+vec(row%f.others))
		}
	}
	f.finish = func() { // the registers of the rows point to the scales by now
		first, second := tmp, tmp+1
		for i, ends := range []vec{first, second} {
			f.ins("FMOVD (%v), F%d", f.rows[2*i], ends)
			f.ins("VLD1 (%v), V%d.D[1]", f.rows[2*i+1], ends)
		}
		f.finishLogits(first, second)
	}
	f.ins("CMP $32, %v", f.in)
	f.ins("BNE groups")
	f.shortLogits()
	f.write()
}

// shortLogits writes the loop for rows of 32 bytes, which is what the presets have. The
// vector stays in registers, and one load reads a row with its scale and its bias, and eight
// bytes behind them.
func (f *armFours) shortLogits() {
	xs, w := vec(f.sums), vec(f.sums)+2
	f.ins("VLD1 (%v), %s", f.src, list(xs, 2, words))
	f.label("short")
	f.beginRows()
	for i, row := range f.rows {
		f.ins("VLD1 (%v), %s", row, list(w+vec(3*i), 3, words))
		for j := range vec(2) {
			f.product(i, xs+j, w+vec(3*i)+j, int(j))
		}
	}
	first, second := w+2, w+8 // behind the weights of the first row and of the third
	f.zip64(first, first, first+3)
	f.zip64(second, second, second+3)
	f.finishLogits(first, second)
	f.countDown(f.groups, "short")
	f.ins("RET")
}

// finishLogits writes four logits. first has the scale and the bias of the first row and
// those of the second, and second those of the other two.
func (f *armFours) finishLogits(first, second vec) {
	const a, b vec = 1, 2 // sums that are used up
	f.addp32(0, 0, 1)
	f.addp32(1, 2, 3)
	f.addp32(0, 0, 1)
	f.scvtf(0, 0)
	f.evens(a, first, second)
	f.odds(b, first, second)
	f.fmul(0, 0, a)
	f.fadd(0, 0, b)
	f.storeVectors(f.dst, 0, 1)
}

// armDots is dots for arm64: two vectors hold the eight parts of a sum.
func (s isa) armDots(file *armFile) {
	f := s.fours(file.kernel(s.name+"Dots", "logitArgs"), dots)
	f.product = func(row int, x, w vec, i int) { f.fmlaVectors(vec(row*f.sets+i%f.sets), w, x) }
	f.finish = func() {
		other := vec(f.sums)
		for row := range vec(chosenAtOnce) {
			sum := vec(f.sets) * row
			f.fadd(sum, sum, sum+1)
			f.high(other, sum)
			f.fadd(sum, sum, other)
			f.ins("VDUP V%d.S[1], V%d.S4", sum, other)
			f.fadd(sum, sum, other)
			f.ins("FMOVS.P F%d, 4(%v)", sum, f.dst)
		}
	}
	f.write()
}
