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
	s.eachChosen(a, func(row reg.Register, coefficients reg.GPVirtual) {
		VBROADCASTSS(Mem{Base: coefficients}, coefficient)
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
	coefficient, free := s.regs[t.vectors], s.regs[t.vectors+1:]
	s.eachChosen(a, func(row reg.Register, coefficients reg.GPVirtual) {
		VBROADCASTSS(Mem{Base: coefficients}, coefficient)
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

// eachChosen repeats what is done to a row for every number of the list.
func (s isa) eachChosen(a args, f func(row reg.Register, coefficients reg.GPVirtual)) {
	rows, stride, index := a.load("rows"), a.load("stride"), a.load("index")
	coefficients, step, n := a.load("coefficients"), a.load("coefficientStep"), a.load("count")
	row := GP64()
	Label("chosen")
	MOVWQZX(Mem{Base: index}, row)
	IMULQ(stride, row)
	ADDQ(rows, row)
	f(row, coefficients)
	ADDQ(U8(2), index)
	ADDQ(step, coefficients)
	DECQ(n)
	JNZ(LabelRef("chosen"))
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
	rows, stride, index, n := a.load("rows"), a.load("stride"), a.load("index"), a.load("count")
	TESTQ(n, n)
	JZ(LabelRef("end"))
	row := GP64()
	Label("chosen")
	MOVWQZX(Mem{Base: index}, row)
	IMULQ(stride, row)
	ADDQ(rows, row)
	for k := range t.vectors {
		VPADDW(Mem{Base: row, Disp: s.bytes * k}, s.regs[k], s.regs[k])
	}
	ADDQ(U8(2), index)
	DECQ(n)
	JNZ(LabelRef("chosen"))
	Label("end")
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

// chosenAtOnce is the number of rows that dots and logits take at a time.
const chosenAtOnce = 4

// logits multiplies a vector of bytes with chosen rows of signed bytes, behind
// which each row has its scale and its bias: dst = scale·sum + bias, rounded
// twice. Four rows make a vector of results.
func (s isa) logits() {
	TEXT(s.name+"Logits", NOSPLIT, "func(a *logitArgs)")
	Pragma("noescape")
	a := args{Dereference(Param("a"))}
	y := avx2.regs
	sums, x, product, ones := y[:chosenAtOnce], y[4], y[5], y[6]
	if !s.hasDotProduct() {
		VPCMPEQD(ones, ones, ones)
		VPSRLW(U8(15), ones, ones)
	}
	dst, index, src, groups := a.load("dst"), a.load("index"), a.load("src"), a.load("groups")
	weight, stride, in := a.load("rows"), a.load("stride"), a.load("in")
	var row [chosenAtOnce]reg.GPVirtual
	for i := range row {
		row[i] = GP64()
	}
	Label("groups")
	for i := range row {
		MOVWQZX(Mem{Base: index, Disp: 2 * i}, row[i])
		IMULQ(stride, row[i])
		ADDQ(weight, row[i])
		VPXOR(sums[i], sums[i], sums[i])
	}
	at := GP64()
	XORQ(at, at)
	Label("inputs")
	VMOVDQU(Mem{Base: src, Index: at, Scale: 1}, x)
	for i := range row {
		w := Mem{Base: row[i], Index: at, Scale: 1}
		switch {
		case s.bytes == 64:
			VPDPBUSD(w, x, sums[i])
		case s.vnni:
			VMOVDQU(w, product)
			dotProduct(product, x, sums[i])
		default:
			VPMADDUBSW(w, x, product)
			VPMADDWD(ones, product, product)
			VPADDD(product, sums[i], sums[i])
		}
	}
	ADDQ(U8(32), at)
	CMPQ(at, in)
	JNE(LabelRef("inputs"))
	VPHADDD(sums[1], sums[0], sums[0])
	VPHADDD(sums[3], sums[2], sums[2])
	VPHADDD(sums[2], sums[0], sums[0])
	VEXTRACTI128(U8(1), sums[0], x.AsX())
	VPADDD(x.AsX(), sums[0].AsX(), sums[0].AsX())
	sum := sums[0].AsX()
	VCVTDQ2PS(sum, sum)
	scale, bias := x.AsX(), product.AsX()
	for i := range row {
		to, from := []reg.Register{scale, bias}, []Mem{{Base: row[i], Index: at, Scale: 1}, {Base: row[i], Index: at, Scale: 1, Disp: 4}}
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
	ADDQ(U8(4*chosenAtOnce), dst)
	ADDQ(U8(2*chosenAtOnce), index)
	DECQ(groups)
	JNZ(LabelRef("groups"))
	VZEROUPPER()
	RET()
}

func (s isa) hasDotProduct() bool { return s.bytes == 64 || s.vnni }

// dots multiplies a vector of floats with chosen rows. A sum has eight parts,
// one for each lane, whatever the instruction set, which are added in pairs:
// lane i to lane i+4, then to i+2, then to i+1.
func (s isa) dots() {
	TEXT(s.name+"Dots", NOSPLIT, "func(a *logitArgs)")
	Pragma("noescape")
	a := args{Dereference(Param("a"))}
	y := avx2.regs
	sums, x := y[:chosenAtOnce], y[4]
	dst, index, src, groups := a.load("dst"), a.load("index"), a.load("src"), a.load("groups")
	weight, stride, in := a.load("rows"), a.load("stride"), a.load("in")
	var row [chosenAtOnce]reg.GPVirtual
	for i := range row {
		row[i] = GP64()
	}
	Label("groups")
	for i := range row {
		MOVWQZX(Mem{Base: index, Disp: 2 * i}, row[i])
		IMULQ(stride, row[i])
		ADDQ(weight, row[i])
		VXORPS(sums[i], sums[i], sums[i])
	}
	at := GP64()
	XORQ(at, at)
	Label("inputs")
	VMOVUPS(Mem{Base: src, Index: at, Scale: 1}, x)
	for i := range row {
		VFMADD231PS(Mem{Base: row[i], Index: at, Scale: 1}, x, sums[i])
	}
	ADDQ(U8(32), at)
	CMPQ(at, in)
	JNE(LabelRef("inputs"))
	for i := range sums {
		sum, other := sums[i].AsX(), x.AsX()
		VEXTRACTF128(U8(1), sums[i], other)
		VADDPS(other, sum, sum)
		VMOVHLPS(sum, sum, other)
		VADDPS(other, sum, sum)
		VMOVSHDUP(sum, other)
		VADDSS(other, sum, sum)
		VMOVSS(sum, Mem{Base: dst, Disp: 4 * i})
	}
	ADDQ(U8(4*chosenAtOnce), dst)
	ADDQ(U8(2*chosenAtOnce), index)
	DECQ(groups)
	JNZ(LabelRef("groups"))
	VZEROUPPER()
	RET()
}
