// Gen writes the kernels of package kernel. It is a module of its own, so
// that the product does not depend on avo. Run it by go generate there.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets into kernel.rowArgs.
const (
	rowDst = 8 * iota
	rowRes
	rowBias
	rowSrc
	rowWeight
	rowCell    // bytes from a cell of dst to the next
	rowSrcCell // the same of src
	rowSrcRow  // bytes from a row of src to the next
	rowRows    // rows of src to visit
	rowIn      // channels of src
	rowTaps    // bytes of weights from one row of taps to the next
	rowMask    // of the last vector: bits for AVX-512, an address for AVX2
	rowFloor
)

// Offsets into kernel.gradArgs.
const (
	gradDw = 8 * iota
	gradSrc
	gradDout
	gradDwChannel // bytes from an input channel of dw to the next
	gradSrcCell
	gradSrcRow // from the end of a row's cells to the next row
	gradSrcBoard
	gradDoutCell
	gradDoutRow
	gradDoutBoard
	gradCells
	gradRows
	gradBoards
	gradMask
)

// isa is an instruction set: its registers and vector width.
type isa struct {
	name  string
	regs  []reg.VecPhysical
	bytes int // of a vector

	gradVectors int // of the widest gradient kernel
}

var (
	avx512 = isa{"avx512", []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10,
		reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20,
		reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}, 64, 4}
	avx2 = isa{"avx2", []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10,
		reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}, 32, 2}
)

func main() {
	Package("dojo/model/kernel")
	ConstraintExpr("amd64")
	for _, s := range []struct {
		isa
		convs []tile // 3×3 on rows of this width
		rows  []tile // 1×1 on so many cells
	}{
		{avx512, []tile{{3, 4}, {3, 2}, {3, 1}, {5, 4}, {5, 2}, {5, 1}, {6, 4}, {6, 2}, {6, 1}, {9, 2}, {9, 1}},
			[]tile{{6, 4}, {6, 2}, {6, 1}, {1, 4}, {1, 2}, {1, 1}}},
		{avx2, []tile{{3, 4}, {3, 2}, {3, 1}, {5, 2}, {5, 1}, {6, 2}, {6, 1}, {9, 1}},
			[]tile{{6, 2}, {6, 1}, {1, 2}, {1, 1}}},
	} {
		for _, t := range s.convs {
			s.row(fmt.Sprintf("%sConv%dx%d", s.name, t.cells, t.vectors), t, 3)
		}
		for _, t := range s.rows {
			s.row(fmt.Sprintf("%sCells%dx%d", s.name, t.cells, t.vectors), t, 1)
		}
		for _, channels := range []int{4, 1} {
			for _, vectors := range []int{4, 2, 1} {
				if vectors <= s.gradVectors {
					s.grad(fmt.Sprintf("%sGrad%dx%d", s.name, channels, vectors), channels, vectors)
				}
			}
		}
		s.peak(s.name + "Peak")
	}
	Generate()
}

// A tile is the part of the output that lives in registers: so many cells of
// a row by so many vectors of channels.
type tile struct{ cells, vectors int }

// args loads the pointer to the arguments and returns a loader of its fields.
func args() (base reg.Register, load func(offset int) reg.GPVirtual) {
	a := Load(Param("a"), GP64())
	return a, func(offset int) reg.GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: a, Disp: offset}, r)
		return r
	}
}

// mask prepares the mask of the last vector, which the arguments have at
// offset, and returns a masked load and a masked store. AVX2 keeps the mask in
// memory, for want of registers.
func (s isa) mask(args func(int) reg.GPVirtual, offset int, spare reg.VecPhysical) (load func(Mem, reg.VecPhysical), store func(reg.VecPhysical, Mem)) {
	if s.bytes == 64 {
		KMOVW(args(offset).As32(), reg.K1)
		return func(from Mem, to reg.VecPhysical) { VMOVUPS_Z(from, reg.K1, to) },
			func(from reg.VecPhysical, to Mem) { VMOVUPS(from, reg.K1, to) }
	}
	return func(from Mem, to reg.VecPhysical) {
			VMOVUPS(Mem{Base: args(offset)}, spare)
			VMASKMOVPS(from, spare, to)
		}, func(from reg.VecPhysical, to Mem) {
			VMOVUPS(Mem{Base: args(offset)}, spare)
			VMASKMOVPS(from, spare, to)
		}
}

// row computes one row of a convolution: dst = max(floor, bias + res + src ∗ w).
// Every accumulator takes its products in the order row of taps, channel, tap,
// whatever the instruction set.
func (s isa) row(name string, t tile, taps int) {
	TEXT(name, NOSPLIT, "func(a *rowArgs)")
	Pragma("noescape")
	base, load := args()
	acc := func(cell, k int) reg.VecPhysical { return s.regs[cell*t.vectors+k] }
	free := s.regs[t.cells*t.vectors:]
	maskedLoad, maskedStore := s.mask(load, rowMask, free[0])
	tmp := free[1]

	bias := load(rowBias)
	for cell := range t.cells {
		for k := range t.vectors {
			VMOVUPS(Mem{Base: bias, Disp: s.bytes * k}, acc(cell, k))
		}
	}
	res, cellBytes := load(rowRes), load(rowCell)
	TESTQ(res, res)
	JZ(LabelRef("start"))
	for cell := range t.cells {
		for k := range t.vectors {
			at := Mem{Base: res, Disp: s.bytes * k}
			if k == t.vectors-1 {
				maskedLoad(at, tmp)
				VADDPS(tmp, acc(cell, k), acc(cell, k))
			} else {
				VADDPS(at, acc(cell, k), acc(cell, k))
			}
		}
		if cell < t.cells-1 {
			ADDQ(cellBytes, res)
		}
	}
	Label("start")
	src, weight, rows := load(rowSrc), load(rowWeight), load(rowRows)
	srcRow, in, tapBytes := load(rowSrcRow), load(rowIn), load(rowTaps)
	cellAt := cells(load(rowSrcCell), t.cells)

	Label("rows")
	x, w, n := GP64(), GP64(), GP64()
	MOVQ(src, x)
	MOVQ(weight, w)
	MOVQ(in, n)
	Label("channels")
	if s.bytes == 64 {
		s.channelByWeight(t, taps, free, x, w, cellAt, acc)
	} else {
		s.channelByCell(t, taps, free, x, w, cellAt, acc)
	}
	ADDQ(U32(4), x)
	ADDQ(U32(uint32(taps*t.vectors*s.bytes)), w)
	DECQ(n)
	JNZ(LabelRef("channels"))
	if taps > 1 {
		ADDQ(srcRow, src)
		ADDQ(tapBytes, weight)
		DECQ(rows)
		JNZ(LabelRef("rows"))
	}

	VBROADCASTSS(Mem{Base: base, Disp: rowFloor}, tmp)
	dst := load(rowDst)
	cellBytes = load(rowCell)
	for cell := range t.cells {
		for k := range t.vectors {
			VMAXPS(tmp, acc(cell, k), acc(cell, k))
			at := Mem{Base: dst, Disp: s.bytes * k}
			if k == t.vectors-1 {
				maskedStore(acc(cell, k), at)
			} else {
				VMOVUPS(acc(cell, k), at)
			}
		}
		if cell < t.cells-1 {
			ADDQ(cellBytes, dst)
		}
	}
	VZEROUPPER()
	RET()
}

// channelByWeight multiplies one input channel with many registers: the cells
// are broadcast once and each weight vector is loaded once.
func (s isa) channelByWeight(t tile, taps int, free []reg.VecPhysical, x, w reg.Register, cellAt func(reg.Register, int) Mem, acc func(cell, k int) reg.VecPhysical) {
	values, weights := free[:t.cells], free[t.cells:]
	for cell := range t.cells {
		VBROADCASTSS(cellAt(x, cell), values[cell])
	}
	n := 0
	for tap := range taps {
		for k := range t.vectors {
			v := weights[n%len(weights)]
			n++
			VMOVUPS(Mem{Base: w, Disp: (tap*t.vectors + k) * s.bytes}, v)
			for cell := range t.cells {
				if from := cell + tap - taps/2; from >= 0 && from < t.cells {
					VFMADD231PS(v, values[from], acc(cell, k))
				}
			}
		}
	}
}

// channelByCell multiplies one input channel with few registers: each cell is
// broadcast once and the weights are read from memory.
func (s isa) channelByCell(t tile, taps int, free []reg.VecPhysical, x, w reg.Register, cellAt func(reg.Register, int) Mem, acc func(cell, k int) reg.VecPhysical) {
	for from := range t.cells {
		v := free[from%len(free)]
		VBROADCASTSS(cellAt(x, from), v)
		for tap := range taps {
			cell := from - tap + taps/2
			if cell < 0 || cell >= t.cells {
				continue
			}
			for k := range t.vectors {
				VFMADD231PS(Mem{Base: w, Disp: (tap*t.vectors + k) * s.bytes}, v, acc(cell, k))
			}
		}
	}
}

// cells returns the address of a cell n strides behind a register.
func cells(stride reg.GPVirtual, n int) func(reg.Register, int) Mem {
	var three, five, seven reg.GPVirtual
	if n > 3 {
		three = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
	}
	if n > 5 {
		five = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 4}, five)
	}
	if n > 7 {
		seven = GP64()
		LEAQ(Mem{Base: three, Index: stride, Scale: 4}, seven)
	}
	return func(x reg.Register, cell int) Mem {
		switch cell {
		case 0:
			return Mem{Base: x}
		case 1, 2, 4, 8:
			return Mem{Base: x, Index: stride, Scale: uint8(cell)}
		case 3:
			return Mem{Base: x, Index: three, Scale: 1}
		case 6:
			return Mem{Base: x, Index: three, Scale: 2}
		case 5:
			return Mem{Base: x, Index: five, Scale: 1}
		case 7:
			return Mem{Base: x, Index: seven, Scale: 1}
		}
		panic(fmt.Sprint("no address for cell ", cell))
	}
}
