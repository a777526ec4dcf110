package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// grad adds to the gradient of one tap's weights, for some input channels by
// some vectors of output channels, the products over all boards, rows and
// cells. The sums stay in registers throughout.
func (s isa) grad(name string, channels, vectors int) {
	TEXT(name, NOSPLIT, "func(a *gradArgs)")
	Pragma("noescape")
	_, load := args()
	acc := func(c, k int) reg.VecPhysical { return s.regs[c*vectors+k] }
	free := s.regs[channels*vectors:]
	douts, rest := free[:vectors], free[vectors:]
	maskedLoad, maskedStore := s.mask(load, gradMask, rest[0])

	dw, dwChannel := load(gradDw), load(gradDwChannel)
	for c := range channels {
		for k := range vectors {
			at := Mem{Base: dw, Disp: s.bytes * k}
			if k == vectors-1 {
				maskedLoad(at, acc(c, k))
			} else {
				VMOVUPS(at, acc(c, k))
			}
		}
		if c < channels-1 {
			ADDQ(dwChannel, dw)
		}
	}
	x, g := load(gradSrc), load(gradDout)
	srcCell, doutCell := load(gradSrcCell), load(gradDoutCell)
	boards, rows, cellCount := load(gradBoards), GP64(), GP64()
	base := Load(Param("a"), GP64())

	Label("boards")
	MOVQ(Mem{Base: base, Disp: gradRows}, rows)
	Label("rows")
	MOVQ(Mem{Base: base, Disp: gradCells}, cellCount)
	Label("cells")
	for k := range vectors {
		at := Mem{Base: g, Disp: s.bytes * k}
		if k == vectors-1 {
			maskedLoad(at, douts[k])
		} else {
			VMOVUPS(at, douts[k])
		}
	}
	for c := range channels {
		v := rest[c%len(rest)]
		VBROADCASTSS(Mem{Base: x, Disp: 4 * c}, v)
		for k := range vectors {
			VFMADD231PS(v, douts[k], acc(c, k))
		}
	}
	ADDQ(srcCell, x)
	ADDQ(doutCell, g)
	DECQ(cellCount)
	JNZ(LabelRef("cells"))
	ADDQ(Mem{Base: base, Disp: gradSrcRow}, x)
	ADDQ(Mem{Base: base, Disp: gradDoutRow}, g)
	DECQ(rows)
	JNZ(LabelRef("rows"))
	ADDQ(Mem{Base: base, Disp: gradSrcBoard}, x)
	ADDQ(Mem{Base: base, Disp: gradDoutBoard}, g)
	DECQ(boards)
	JNZ(LabelRef("boards"))

	dw, dwChannel = load(gradDw), load(gradDwChannel)
	for c := range channels {
		for k := range vectors {
			at := Mem{Base: dw, Disp: s.bytes * k}
			if k == vectors-1 {
				maskedStore(acc(c, k), at)
			} else {
				VMOVUPS(acc(c, k), at)
			}
		}
		if c < channels-1 {
			ADDQ(dwChannel, dw)
		}
	}
	VZEROUPPER()
	RET()
}

// peak runs twelve independent chains of multiply-adds n times: nothing but
// arithmetic.
func (s isa) peak(name string) {
	TEXT(name, NOSPLIT, "func(n int)")
	n := Load(Param("n"), GP64())
	const chains = 12
	for i := range chains + 2 {
		VXORPS(s.regs[i], s.regs[i], s.regs[i])
	}
	Label("loop")
	for i := range chains {
		VFMADD231PS(s.regs[chains], s.regs[chains+1], s.regs[i])
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
