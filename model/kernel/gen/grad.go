package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// grad writes the kernel of the gradient of the weights of some taps, n input channels
// by some vectors of output channels. The sums of a tap stay in registers while the
// kernel goes through its pairs of cells. The pairs are listed in memory, because rows
// of few cells in loops of their own would cost a wrong guess of the processor's at the
// end of most of them.
func (s isa) grad(t tile) {
	a := s.begin(t, "gradArgs")
	sum := func(c, k int) reg.VecPhysical { return s.regs[c*t.vectors+k] }
	y := s.layout(t)
	free := s.regs[y.sums:]
	douts, rest := free[:y.weights], free[y.weights:][:y.values]
	load, store := s.vectorMoves(a, t.vectors, rest[0])

	src, dout, tap, dwChannel := a.load("src"), a.load("dout"), a.load("taps"), a.load("dwChannel")
	dw, pair, pairs := GP64(), GP64(), GP64()
	x, g := GP64(), GP64()
	Label("taps")
	MOVQ(Mem{Base: tap}, pair)
	MOVQ(Mem{Base: tap, Disp: 8}, pairs)
	moveToTap := func() {
		MOVQ(Mem{Base: tap, Disp: 16}, dw)
		ADDQ(a.at("dw"), dw)
	}
	for i := range t.n * t.vectors {
		s.clear(s.regs[i])
	}
	CMPQ(a.at("overwrite"), U8(0))
	JNE(LabelRef("begin"))
	moveToTap()
	t.forEachChannel(dw, dwChannel, func(c, k int) { load(dw, k, sum(c, k)) })
	Label("begin")
	CMPQ(a.at("full"), U8(0))
	JE(LabelRef("masked"))
	products := func(label string, load func(k int)) {
		Label(label)
		MOVL(Mem{Base: pair}, x.As32())
		MOVL(Mem{Base: pair, Disp: 4}, g.As32())
		for k := range t.vectors {
			load(k)
		}
		for c := range t.n {
			v := rest[c%len(rest)]
			VBROADCASTSS(Mem{Base: src, Index: x, Scale: 1, Disp: 4 * c}, v)
			for k := range t.vectors {
				VFMADD231PS(v, douts[k], sum(c, k))
			}
		}
		ADDQ(U8(8), pair)
		DECQ(pairs)
		JNZ(LabelRef(label))
	}
	products("full", func(k int) { VMOVUPS(Mem{Base: dout, Index: g, Scale: 1, Disp: s.bytes * k}, douts[k]) })
	JMP(LabelRef("end"))
	products("masked", func(k int) {
		if k == 0 {
			ADDQ(dout, g)
		}
		load(g, k, douts[k])
	})
	Label("end")
	moveToTap()
	t.forEachChannel(dw, dwChannel, func(c, k int) { store(sum(c, k), dw, k) })
	ADDQ(U8(gradTapBytes), tap)
	DECQ(a.at("count"))
	JNZ(LabelRef("taps"))
	VZEROUPPER()
	RET()
}

// gradTapBytes is the size of package kernel's gradTap.
const gradTapBytes = 24

// forEachChannel calls f for vector k of every input channel c of a tile, with dw
// moved to that channel; step is the distance between channels.
func (t tile) forEachChannel(dw, step reg.GPVirtual, f func(c, k int)) {
	for c := range t.n {
		for k := range t.vectors {
			f(c, k)
		}
		if c < t.n-1 {
			ADDQ(step, dw)
		}
	}
}

// relu writes the kernel of the ReLU's gradient: dst is dy where y is positive,
// else 0, for whole vectors.
func (s isa) relu() {
	TEXT(s.name+"Relu", NOSPLIT, "func(a *reluArgs)")
	Pragma("noescape")
	a := args{Dereference(Param("a"))}
	zero, y, dy := s.regs[0], s.regs[1], s.regs[2]
	s.clear(zero)
	to, from, out, n := a.load("dst"), a.load("dy"), a.load("y"), a.load("vectors")
	const greater = 0x1e // ordered, quiet
	Label("vectors")
	VMOVUPS(Mem{Base: out}, y)
	if s.bytes == 64 {
		VCMPPS(U8(greater), zero, y, reg.K1)
		VMOVUPS_Z(Mem{Base: from}, reg.K1, dy)
	} else {
		VCMPPS(U8(greater), zero, y, y)
		VANDPS(Mem{Base: from}, y, dy)
	}
	VMOVUPS(dy, Mem{Base: to})
	for _, p := range []reg.Register{to, from, out} {
		ADDQ(U32(uint32(s.bytes)), p)
	}
	DECQ(n)
	JNZ(LabelRef("vectors"))
	VZEROUPPER()
	RET()
}
