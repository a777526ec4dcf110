package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// grad writes the kernel that adds to the gradient of one tap's weights, n input
// channels by some vectors of output channels, the products src·dout of all
// boards, rows and cells. The sums stay in registers throughout.
func (s isa) grad(t tile) {
	a := s.begin(t, "gradArgs")
	sum := func(c, k int) reg.VecPhysical { return s.regs[c*t.vectors+k] }
	free := s.regs[t.n*t.vectors:]
	douts, rest := free[:t.vectors], free[t.vectors:]
	load, store := s.vectorMoves(a, t.vectors, rest[0])

	dw, dwChannel := a.load("dw"), a.load("dwChannel")
	t.forEachChannel(dw, dwChannel, func(c, k int) { load(dw, k, sum(c, k)) })

	x, g := a.load("src"), a.load("dout")
	srcCell, doutCell := a.load("srcCell"), a.load("doutCell")
	boards := a.load("boards")
	Label("boards")
	rows := a.load("rows")
	Label("rows")
	count := a.load("cells")
	Label("cells")
	for k := range t.vectors {
		load(g, k, douts[k])
	}
	for c := range t.n {
		v := rest[c%len(rest)]
		VBROADCASTSS(Mem{Base: x, Disp: 4 * c}, v)
		for k := range t.vectors {
			VFMADD231PS(v, douts[k], sum(c, k))
		}
	}
	ADDQ(srcCell, x)
	ADDQ(doutCell, g)
	DECQ(count)
	JNZ(LabelRef("cells"))
	ADDQ(a.at("srcRow"), x)
	ADDQ(a.at("doutRow"), g)
	DECQ(rows)
	JNZ(LabelRef("rows"))
	ADDQ(a.at("srcBoard"), x)
	ADDQ(a.at("doutBoard"), g)
	DECQ(boards)
	JNZ(LabelRef("boards"))

	dw = a.load("dw")
	t.forEachChannel(dw, dwChannel, func(c, k int) { store(sum(c, k), dw, k) })
	VZEROUPPER()
	RET()
}

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
