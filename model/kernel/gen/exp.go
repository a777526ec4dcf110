package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// exp32 writes Exp32 of package internal/detmath for vectors of four numbers, in
// place. Every product and sum is that of the Go code there, in 64 bits, and is rounded
// on its own. It stops before a vector that has a number outside ±87, or one that is
// no number, and returns how many numbers are done. n is a multiple of four. The
// constants are in a table of vectors, in the order of exp32Constants there.
func exp32() {
	TEXT("exp32Vectors", NOSPLIT, "func(x *float32, n int, constants *[17][4]float64) (done int)")
	Pragma("noescape")
	p, n, table := Load(Param("x"), GP64()), Load(Param("n"), GP64()), Load(Param("constants"), GP64())
	constant := func(row int) Mem { return Mem{Base: table, Disp: 32 * row} }
	log2e, round, ln2, exponent, absolute, limit := constant(0), constant(1), constant(2), constant(3), constant(4), constant(5)
	coefficient := func(k int) Mem { return constant(6 + k - 1) } // 1/k!

	done, mask := GP64(), GP32()
	XORQ(done, done)
	y := avx2.regs
	x, t, r, r2, r4, low, sum, tmp := y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]
	Label("loop")
	CMPQ(done, n)
	JGE(LabelRef("end"))
	VCVTPS2PD(Mem{Base: p}, x)
	VANDPD(absolute, x, t)
	VCMPPD(U8(2), limit, t, t) // |x| ≤ limit
	VMOVMSKPD(t, mask)
	CMPL(mask, U8(15))
	JNE(LabelRef("end"))

	VMULPD(log2e, x, t)
	VADDPD(round, t, t) // the last bits of t are now the whole number k
	VSUBPD(round, t, r)
	VMULPD(ln2, r, r)
	VSUBPD(r, x, r)
	VMULPD(r, r, r2)
	VMULPD(r2, r2, r4)
	// four is four terms of the series from term a on: (ca + cb·r) + r²·(cc + cd·r).
	four := func(a int, sum reg.VecPhysical) {
		VMULPD(coefficient(a+3), r, tmp)
		VADDPD(coefficient(a+2), tmp, tmp)
		VMULPD(tmp, r2, tmp)
		if a == 0 {
			VADDPD(coefficient(1), r, sum)
		} else {
			VMULPD(coefficient(a+1), r, sum)
			VADDPD(coefficient(a), sum, sum)
		}
		VADDPD(tmp, sum, sum)
	}
	four(8, sum)
	VMULPD(r4, sum, sum)
	four(4, low)
	VADDPD(sum, low, sum)
	VMULPD(r4, sum, sum)
	four(0, low)
	VADDPD(sum, low, low)
	VPSLLQ(U8(52), t, t)
	VPADDQ(exponent, t, t) // 2ᵏ
	VMULPD(t, low, low)
	VCVTPD2PSY(low, low.AsX())
	VMOVUPS(low.AsX(), Mem{Base: p})
	ADDQ(U8(16), p)
	ADDQ(U8(4), done)
	JMP(LabelRef("loop"))
	Label("end")
	Store(done, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
