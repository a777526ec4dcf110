package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels of sparse layers: rows of a matrix, chosen by a list of numbers
// of 16 bits, are summed, added to, or multiplied with a vector.

// gather adds chosen rows, each times a coefficient, to a vector that stays in
// registers: dst += coefficient·row.
func (s isa) gather(t tile) {
	a := s.begin(t, "gatherArgs")
	dst := a.load("dst")
	for k := range t.vectors {
		VMOVUPS(Mem{Base: dst, Disp: s.bytes * k}, s.regs[k])
	}
	coefficient := s.regs[t.vectors]
	coefficients, step := a.load("coefficients"), a.load("coefficientStep")
	eachChosen(a, func(row reg.Register) {
		VBROADCASTSS(Mem{Base: coefficients}, coefficient)
		ADDQ(step, coefficients)
		for k := range t.vectors {
			VFMADD231PS(Mem{Base: row, Disp: s.bytes * k}, coefficient, s.regs[k])
		}
	})
	for k := range t.vectors {
		VMOVUPS(s.regs[k], Mem{Base: dst, Disp: s.bytes * k})
	}
	VZEROUPPER()
	RET()
}

// scatter adds a vector, times a coefficient each, to chosen rows:
// row += coefficient·dst.
func (s isa) scatter(t tile) {
	a := s.begin(t, "gatherArgs")
	src := a.load("dst")
	for k := range t.vectors {
		VMOVUPS(Mem{Base: src, Disp: s.bytes * k}, s.regs[k])
	}
	y := s.layout(t)
	coefficient, free := s.regs[y.sums], s.regs[y.sums+1:][:y.weights]
	coefficients, step := a.load("coefficients"), a.load("coefficientStep")
	eachChosen(a, func(row reg.Register) {
		VBROADCASTSS(Mem{Base: coefficients}, coefficient)
		ADDQ(step, coefficients)
		for k := range t.vectors {
			at, sum := Mem{Base: row, Disp: s.bytes * k}, free[k%len(free)]
			VMOVUPS(at, sum)
			VFMADD231PS(s.regs[k], coefficient, sum)
			VMOVUPS(sum, at)
		}
	})
	VZEROUPPER()
	RET()
}

// eachChosen writes a loop over the numbers of the list, which may be empty: f works on
// the row of each.
func eachChosen(a args, f func(row reg.Register)) {
	rows, stride, index, n := a.load("rows"), a.load("stride"), a.load("index"), a.load("count")
	TESTQ(n, n)
	JZ(LabelRef("end"))
	Label("chosen")
	row := chosenRow(rows, stride, index, 0)
	f(row)
	ADDQ(U8(2), index)
	DECQ(n)
	JNZ(LabelRef("chosen"))
	Label("end")
}

// chosenRow is the address of the row whose number is i places behind index.
func chosenRow(rows, stride, index reg.Register, i int) reg.GPVirtual {
	row := GP64()
	MOVWQZX(Mem{Base: index, Disp: 2 * i}, row)
	IMULQ(stride, row)
	ADDQ(rows, row)
	return row
}

// columns sums chosen rows of 16-bit numbers and writes the sums, shifted to
// the right, as bytes from 0 to 127. Sums may overflow on the way, as long as
// the last one fits.
func (s isa) columns(t tile) {
	a := s.begin(t, "columnArgs")
	bias := a.load("bias")
	for k := range t.vectors {
		VMOVUPS(Mem{Base: bias, Disp: s.bytes * k}, s.regs[k])
	}
	eachChosen(a, func(row reg.Register) {
		for k := range t.vectors {
			VPADDW(Mem{Base: row, Disp: s.bytes * k}, s.regs[k], s.regs[k])
		}
	})
	s.writeColumns(a, t)
	VZEROUPPER()
	RET()
}

func (s isa) writeColumns(a args, t tile) {
	free := s.regs[t.vectors:]
	zero, top, shift := free[0], free[1], free[2].AsX()
	s.clear(zero)
	VPBROADCASTW(a.at("top"), top)
	VMOVQ(a.at("shift"), shift)
	dst := a.load("dst")
	for k := range t.vectors {
		y := s.regs[k]
		VPSRAW(shift, y, y)
		VPMAXSW(zero, y, y)
		VPMINSW(top, y, y)
		switch {
		case s.bytes == 64:
			VPMOVWB(y, Mem{Base: dst, Disp: 32 * k})
		case k%2 == 1: // bytes come in the order 0-7 of the one, 0-7 of the other, 8-15, 8-15
			VPACKUSWB(y, s.regs[k-1], y)
			VPERMQ(U8(0b11_01_10_00), y, y)
			VMOVDQU(y, Mem{Base: dst, Disp: 16 * (k - 1)})
		}
	}
}

// logits multiplies a vector of bytes with chosen rows of signed bytes, behind
// which each row has its scale and its bias: dst = scale·sum + bias, rounded
// twice. Four rows make a vector of results.
func (s isa) logits() {
	TEXT(s.name+"Logits", NOSPLIT, "func(a *logitArgs)")
	Pragma("noescape")
	a := args{Dereference(Param("a"))}
	y := avx2.regs
	x, product, ones := y[4], y[5], y[6]
	if s.dot == paired {
		VPCMPEQD(ones, ones, ones)
		VPSRLW(U8(15), ones, ones)
	}
	eachFour(a, func(w Mem, x, sum reg.VecPhysical) {
		switch {
		case s.bytes == 64:
			VPDPBUSD(w, x, sum)
		case s.dot == fused:
			VMOVDQU(w, product)
			s.dotProduct(product, x, sum)
		default:
			VPMADDUBSW(w, x, product)
			VPMADDWD(ones, product, product)
			VPADDD(product, sum, sum)
		}
	}, func(dst reg.Register, ends [chosenAtOnce]Mem, sums []reg.VecPhysical) {
		VPHADDD(sums[1], sums[0], sums[0])
		VPHADDD(sums[3], sums[2], sums[2])
		VPHADDD(sums[2], sums[0], sums[0])
		VEXTRACTI128(U8(1), sums[0], x.AsX())
		VPADDD(x.AsX(), sums[0].AsX(), sums[0].AsX())
		sum := sums[0].AsX()
		VCVTDQ2PS(sum, sum)
		scale, bias := x.AsX(), product.AsX()
		for i, end := range ends {
			to, from := []reg.Register{scale, bias}, []Mem{end, end.Offset(4)}
			for j := range to {
				if i == 0 {
					VMOVSS(from[j], to[j])
					continue
				}
				VINSERTPS(U8(uint8(i)<<4), from[j], to[j], to[j])
			}
		}
		VMULPS(scale, sum, sum)
		VADDPS(bias, sum, sum)
		VMOVUPS(sum, Mem{Base: dst})
	})
	VZEROUPPER()
	RET()
}

// dots multiplies a vector of floats with chosen rows. A sum has eight parts,
// one for each lane, whatever the instruction set, which are added in pairs:
// lane i to lane i+4, then to i+2, then to i+1.
func (s isa) dots() {
	TEXT(s.name+"Dots", NOSPLIT, "func(a *logitArgs)")
	Pragma("noescape")
	a := args{Dereference(Param("a"))}
	eachFour(a, func(w Mem, x, sum reg.VecPhysical) {
		VFMADD231PS(w, x, sum)
	}, func(dst reg.Register, _ [chosenAtOnce]Mem, sums []reg.VecPhysical) {
		for i := range sums {
			sum, other := sums[i].AsX(), avx2.regs[chosenAtOnce].AsX()
			VEXTRACTF128(U8(1), sums[i], other)
			VADDPS(other, sum, sum)
			VMOVHLPS(sum, sum, other)
			VADDPS(other, sum, sum)
			VMOVSHDUP(sum, other)
			VADDSS(other, sum, sum)
			VMOVSS(sum, Mem{Base: dst, Disp: 4 * i})
		}
	})
	VZEROUPPER()
	RET()
}

// eachFour writes a loop over the fours of numbers in the list. Four rows are multiplied
// with src, 32 bytes at a time: product adds the products of x, from src, and of w, from
// a row, to that row's sum. Then finish writes the results to dst; ends are where the
// weights of the rows end. The sums are in the first registers, and x is in the next.
func eachFour(a args, product func(w Mem, x, sum reg.VecPhysical), finish func(dst reg.Register, ends [chosenAtOnce]Mem, sums []reg.VecPhysical)) {
	sums, x := avx2.regs[:chosenAtOnce], avx2.regs[chosenAtOnce]
	dst, index, src, groups := a.load("dst"), a.load("index"), a.load("src"), a.load("groups")
	weight, stride, in := a.load("rows"), a.load("stride"), a.load("in")
	Label("groups")
	var at [chosenAtOnce]Mem // the weights at hand
	place := GP64()
	for i := range at {
		at[i] = Mem{Base: chosenRow(weight, stride, index, i), Index: place, Scale: 1}
		VPXOR(sums[i], sums[i], sums[i])
	}
	XORQ(place, place)
	Label("inputs")
	VMOVDQU(Mem{Base: src, Index: place, Scale: 1}, x)
	for i := range at {
		product(at[i], x, sums[i])
	}
	ADDQ(U8(32), place)
	CMPQ(place, in)
	JNE(LabelRef("inputs"))
	finish(dst, at, sums)
	ADDQ(U8(4*chosenAtOnce), dst)
	ADDQ(U8(2*chosenAtOnce), index)
	DECQ(groups)
	JNZ(LabelRef("groups"))
}
