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
// it may change.
func (f *arm64) eachChosen(do func(row gp)) {
	rows, stride, index, n, row := f.load("rows"), f.load("stride"), f.load("index"), f.load("count"), f.gp()
	f.ins("CBZ %v, end", n)
	f.label("chosen")
	f.chosenRow(rows, stride, index, row)
	do(row)
	f.countDown(n, "chosen")
	f.label("end")
	f.release(rows, stride, index, n, row)
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
	finish  func(dst gp, rows [chosenAtOnce]gp)
}

func (f *armFours) write() {
	dst, index, src, groups := f.load("dst"), f.load("index"), f.load("src"), f.load("groups")
	weight, stride, in := f.load("rows"), f.load("stride"), f.load("in")
	x, n := f.gp(), f.gp()
	var rows [chosenAtOnce]gp
	for i := range rows {
		rows[i] = f.gp()
	}
	xs := vec(f.sums)
	inputs := func(vectors int) {
		f.loadVectors(x, xs, vectors)
		for i, row := range rows {
			w := xs + vec(f.values) + vec(i*f.values%f.weights)
			f.loadVectors(row, w, vectors)
			for j := range vectors {
				f.product(i, xs+vec(j), w+vec(j), j)
			}
		}
	}
	f.label("groups")
	for _, row := range rows {
		f.chosenRow(weight, stride, index, row)
	}
	for i := range xs {
		f.clear(i)
	}
	f.ins("MOVD %v, %v", src, x)
	f.ins("LSR $%d, %v, %v", bits.TrailingZeros(uint(16*f.values)), in, n)
	f.ins("CBZ %v, rest", n)
	f.label("inputs")
	inputs(f.values)
	f.countDown(n, "inputs")
	f.label("rest")
	f.ins("TBZ $5, %v, added", in)
	inputs(2)
	f.label("added")
	f.finish(dst, rows)
	f.countDown(groups, "groups")
	f.ins("RET")
}

// armLogits is logits for arm64. A row has one sum, because an addition to it waits only a
// cycle for the one before. When they are finished, the registers of the rows point to the
// scales.
func (s isa) armLogits(file *armFile) {
	f := file.kernel(s.name+"Logits", "logitArgs")
	t, _ := s.one(logits)
	y := s.layout(t)
	tmp := vec(y.sums + y.values + y.weights)
	fours := armFours{arm64: f, layout: y}
	fours.product = func(row int, x, w vec, i int) {
		if s.dot == fused {
			f.sdotVectors(vec(row), w, x)
		} else {
			f.pairs(vec(row), w, x, x, tmp+vec(row%y.others))
		}
	}
	fours.finish = func(dst gp, rows [chosenAtOnce]gp) {
		scale, bias := tmp, tmp+1
		f.addp32(0, 0, 1)
		f.addp32(1, 2, 3)
		f.addp32(0, 0, 1)
		f.scvtf(0, 0)
		for i, row := range rows {
			f.ins("VLD1.P 4(%v), V%d.S[%d]", row, scale, i)
			f.ins("VLD1 (%v), V%d.S[%d]", row, bias, i)
		}
		f.fmul(0, 0, scale)
		f.fadd(0, 0, bias)
		f.storeVectors(dst, 0, 1)
	}
	fours.write()
}

// armDots is dots for arm64: two vectors hold the eight parts of a sum.
func (s isa) armDots(file *armFile) {
	f := file.kernel(s.name+"Dots", "logitArgs")
	t, _ := s.one(dots)
	y := s.layout(t)
	fours := armFours{arm64: f, layout: y}
	fours.product = func(row int, x, w vec, i int) { f.fmlaVectors(vec(row*y.sets+i%y.sets), w, x) }
	fours.finish = func(dst gp, _ [chosenAtOnce]gp) {
		other := vec(y.sums)
		for row := range vec(chosenAtOnce) {
			sum := vec(y.sets) * row
			f.fadd(sum, sum, sum+1)
			f.high(other, sum)
			f.fadd(sum, sum, other)
			f.ins("VDUP V%d.S[1], V%d.S4", sum, other)
			f.fadd(sum, sum, other)
			f.ins("FMOVS.P F%d, 4(%v)", sum, dst)
		}
	}
	fours.write()
}
