package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// quantRow writes the kernel of a tile in 8 bits. The sums are whole numbers
// until all products are in, and then
//
//	y = max(floor, sum·scale + bias + res),  dst = y,  quant = min(127, round(y·inverse))
//
// where res, dst and quant may be missing. These products and sums are rounded
// one by one, and never fused, so that every instruction set gives the same bits.
func (s isa) quantRow(t tile) {
	a := s.begin(t, "rowArgs")
	r := s.rowRegisters(a, t)
	t.forEachRow(a, func() {
		for i := range r.results {
			s.clear(s.regs[i])
		}
		if s.dot == paired { // sixteen ones, to add up pairs of products
			VPCMPEQD(r.free[2], r.free[2], r.free[2])
			VPSRLW(U8(15), r.free[2], r.free[2])
		}
		if s.singleCell(t) {
			s.cellProducts(a, t, r)
		} else {
			s.products(a, t, r)
		}
		s.quantTail(a, t, r)
	})
	VZEROUPPER()
	RET()
}

// cellProducts is products for a single cell. Its few sums would wait for one another:
// as many words of the input as there are sets of sums are taken in turns, each to its own
// set, and the sets are added up in the end.
func (s isa) cellProducts(a args, t tile, r registers) {
	value, weights, others := r.free[0], r.free[1], r.free[2:]
	sum := func(set, k int) reg.VecPhysical {
		if set == 0 {
			return r.sum(0, 0, k)
		}
		return others[(set-1)*t.vectors+k]
	}
	src, weight, n := a.load("src"), a.load("weight"), a.load("in")
	word := func(i int) {
		VBROADCASTSS(Mem{Base: src, Disp: 4 * i}, value)
		for k := range t.vectors {
			VMOVUPS(Mem{Base: weight, Disp: (i*t.vectors + k) * s.bytes}, weights)
			s.dotProduct(weights, value, sum(i, k))
		}
	}
	words := func(n int) {
		for i := range n {
			word(i)
		}
		ADDQ(U32(uint32(4*n)), src)
		ADDQ(U32(uint32(n*t.vectors*s.bytes)), weight)
	}
	for i := range (r.sets - 1) * t.vectors {
		s.clear(others[i])
	}
	Label("fours")
	SUBQ(U8(uint8(r.sets)), n)
	JLT(LabelRef("rest"))
	words(r.words)
	JMP(LabelRef("fours"))
	Label("rest")
	ADDQ(U8(uint8(r.sets)), n)
	JZ(LabelRef("added"))
	Label("word")
	words(1)
	DECQ(n)
	JNZ(LabelRef("word"))
	Label("added")
	for k := range t.vectors {
		for set := 1; set < r.sets; set++ {
			VPADDD(sum(set, k), sum(0, k), sum(0, k))
		}
	}
}

// quantTail turns the sums into floats and bytes and stores them.
func (s isa) quantTail(a args, t tile, r registers) {
	scale, bias := a.load("scale"), a.load("bias")
	for i := range r.results {
		at := s.bytes * (i % t.vectors)
		VCVTDQ2PS(s.regs[i], s.regs[i])
		VMULPS(Mem{Base: scale, Disp: at}, s.regs[i], s.regs[i])
		VADDPS(Mem{Base: bias, Disp: at}, s.regs[i], s.regs[i])
	}
	s.addResidual(a, t, r)
	s.floor(a, t, r)
	dst := a.load("dst")
	TESTQ(dst, dst)
	JZ(LabelRef("noFloats"))
	s.write(a, t, r)
	Label("noFloats")
	quant := a.load("quant")
	TESTQ(quant, quant)
	JZ(LabelRef("noBytes"))
	inverse := a.load("inverse")
	s.largest(r.tmp)
	t.forEachSum(a, quant, "quantCell", "quantBoard", func(board, cell, k int) {
		y := r.sum(board, cell, k)
		VMULPS(Mem{Base: inverse, Disp: s.bytes * k}, y, y)
		VMINPS(r.tmp, y, y)
		VCVTPS2DQ(y, y)
		s.narrow(y, r.free[2], quant, k)
	})
	Label("noBytes")
}

// clear sets a register to zero.
func (s isa) clear(r reg.VecPhysical) {
	if s.bytes == 64 {
		VPXORD(r, r, r)
		return
	}
	VPXOR(r, r, r)
}

// largest fills a vector with 127, the largest activation, as floats. Numbers are cut
// off there before they are rounded: of one that has no place in 32 bits, rounding
// makes the smallest whole number.
func (s isa) largest(v reg.VecPhysical) {
	if s.bytes == 64 {
		VPTERNLOGD(U8(0xff), v, v, v)
	} else {
		VPCMPEQD(v, v, v)
	}
	VPSRLD(U8(25), v, v) // of 32 ones, seven are left
	VCVTDQ2PS(v, v)
}

// narrow stores a vector of whole numbers from 0 to 127 as bytes. It is vector k of
// those stored at base.
func (s isa) narrow(y, spare reg.VecPhysical, base reg.Register, k int) {
	if s.bytes == 64 {
		VPMOVSDB(y, Mem{Base: base, Disp: 16 * k})
		return
	}
	low, high := y.AsX(), spare.AsX()
	VEXTRACTI128(U8(1), y, high)
	VPACKSSDW(high, low, low)
	VPACKSSWB(low, low, low)
	VMOVQ(low, Mem{Base: base, Disp: 8 * k})
}

// round writes whole vectors of floats as bytes: min(127, max(0, x·inverse)).
func (s isa) round() {
	TEXT(s.name+"Round", NOSPLIT, "func(a *roundArgs)")
	Pragma("noescape")
	a := args{Dereference(Param("a"))}
	zero, x, spare, top := s.regs[0], s.regs[1], s.regs[2], s.regs[3]
	s.clear(zero)
	s.largest(top)
	dst, src, inverse, n := a.load("dst"), a.load("src"), a.load("inverse"), a.load("vectors")
	Label("vectors")
	VMOVUPS(Mem{Base: src}, x)
	VMULPS(Mem{Base: inverse}, x, x)
	VMINPS(top, x, x)
	VCVTPS2DQ(x, x)
	VPMAXSD(zero, x, x)
	s.narrow(x, spare, dst, 0)
	ADDQ(U32(uint32(s.bytes)), src)
	ADDQ(U32(uint32(s.bytes)), inverse)
	ADDQ(U32(uint32(s.bytes/4)), dst)
	DECQ(n)
	JNZ(LabelRef("vectors"))
	VZEROUPPER()
	RET()
}
