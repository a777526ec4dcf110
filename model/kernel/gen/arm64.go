package main

import (
	"fmt"
	"slices"
)

// An arm64 generates the kernels for NEON. Go's assembler does not support most of NEON's vector
// arithmetic, so arm64 writes these instructions as machine words. The comment after each word
// shows the instruction in Arm's syntax, which has the destination first.
type arm64 struct {
	*assembler
	hasDot bool // whether the processor has instructions for dot products of bytes

	// Used without hasDot: the word whose two halves are currently in the registers low and high.
	pairsOf struct {
		vec
		lane int
	}
}

// scratchR is the scratch register. R0 holds the address of the kernel's arguments. Go reserves the
// registers from R27 on, and the operating system reserves R18.
const scratchR gp = 26

var freeR = []gp{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25}

func (m *arm64) tile() tile { return tile{rows: 4, vectors: 4, words: 4, sets: 1} }
func (m *arm64) lanes() int { return 4 }

// The vector registers from spareV on hold products until these are added to a sum.
const (
	low, high, product, spareV vec = 31, 30, 28, 27 // product and the next one are used in turn
)

func (m *arm64) spare() vec { return spareV }

func (m *arm64) begin(name, argument string) { m.function(name, argument, freeR) }
func (m *arm64) end()                        { m.ins("RET") }

func (r gp) String() string { return fmt.Sprintf("R%d", int(r)) }

// integersR holds the assembly syntax for operations on general registers; see type integers.
var integersR = integers{
	name: gp.String, argument: "MOVD a+0(FP), R0", get: "MOVD %d(R0), %s", put: "MOVD %[2]s, %[1]d(R0)", mov: "MOVD %s, %s", set: "MOVD $%d, %s",
	add: "ADD %s, %s", addNumber: "ADD $%d, %s", and: "AND $%d, %s", shift: "LSR $%d, %s",
	load32: "MOVWU %d(%s), %s", load16: "MOVHU %d(%s), %s", scaled: "ADD %[2]s<<%[5]d, %[1]s, %[4]s",
	countDown: "SUBS $1, %s", countField: "MOVD %[1]d(R0), R26\n\tSUBS $1, R26\n\tMOVD R26, %[1]d(R0)", compare: "CMP $%[2]d, %[1]s",
	whileNot0: "BNE %s", ifMore: "BGT %s", ifNotMore: "BLE %s", if0: "CBZ %s, %s",
}

func (m *arm64) chosenRow(d, i, stride, rows gp) { m.ins("MADD %v, %v, %v, %v", stride, rows, i, d) }
func (m *arm64) inputRow(d, at gp, i int, src, zeros gp) {
	m.ins("MOVW %d(%v), %v", 4*i, at, d)
	m.ins("CMP $0, %v", d)
	m.ins("ADD %v, %v, %v", src, d, d)
	m.ins("CSEL LT, %v, %v, %v", zeros, d, d)
}

func (m *arm64) load(d vec, base gp, offset int)  { m.ins("FMOVQ %d(%v), F%d", offset, base, d) }
func (m *arm64) store(s vec, base gp, offset int) { m.ins("FMOVQ F%d, %d(%v)", s, offset, base) }

// list returns the assembly operand for several consecutive vector registers.
func list(all []vec) string {
	s := ""
	for _, v := range all {
		s += fmt.Sprintf(", V%d.S4", v)
	}
	return "[" + s[2:] + "]"
}

func (m *arm64) loads(d []vec, p gp) {
	for four := range slices.Chunk(d, 4) {
		m.ins("VLD1.P %d(%v), %s", 16*len(four), p, list(four))
	}
}
func (m *arm64) stores(s []vec, p gp) {
	for four := range slices.Chunk(s, 4) {
		m.ins("VST1.P %s, %d(%v)", list(four), 16*len(four), p)
	}
}

func (m *arm64) dup(d vec, base gp, offset int) {
	if offset != 0 {
		m.ins("ADD $%d, %v, %v", offset, base, scratchR)
		base = scratchR
	}
	m.ins("VLD1R (%v), [V%d.S4]", base, d)
}

// code writes an instruction as a machine word, followed by a comment.
func (m *arm64) code(code uint32, comment string, operands ...any) {
	fmt.Fprintf(&m.text, "\tWORD $0x%08x // "+comment+"\n", append([]any{code}, operands...)...)
}

// An instruction is a vector instruction with three operands. It has a machine code, a name, and
// the arrangement of its lanes, for example "4s" for four floats.
type instruction struct {
	code     uint32
	name, as string
}

var threes = map[string]instruction{
	"fadd": {0x4e20d400, "fadd", "4s"}, "fsub": {0x4ea0d400, "fsub", "4s"},
	"fmul": {0x6e20dc00, "fmul", "4s"}, "fdiv": {0x6e20fc00, "fdiv", "4s"},
	"fadd64": {0x4e60d400, "fadd", "2d"}, "fsub64": {0x4ee0d400, "fsub", "2d"},
	"fmul64": {0x6e60dc00, "fmul", "2d"}, "add64": {0x4ee08400, "add", "2d"},
	"add32": {0x4ea08400, "add", "4s"}, "add16": {0x4e608400, "add", "8h"},
	"fmla": {0x4e20cc00, "fmla", "4s"}, "fmaxnm": {0x4e20c400, "fmaxnm", "4s"},
	"fminnm": {0x4ea0c400, "fminnm", "4s"}, "and": {0x4e201c00, "and", "16b"},
	"facge": {0x6e20ec00, "facge", "4s"}, "smax16": {0x4e606400, "smax", "8h"},
	"smin16": {0x4e606c00, "smin", "8h"}, "sshl16": {0x4e604400, "sshl", "8h"},
	"addp32": {0x4ea0bc00, "addp", "4s"}, "evens": {0x4e801800, "uzp1", "4s"},
	"odds": {0x4e805800, "uzp2", "4s"}, "uzp16": {0x4e401800, "uzp1", "8h"},
	"uzp8": {0x4e001800, "uzp1", "16b"}, "sdot": {0x4e809400, "sdot", "4s"},
}

func (m *arm64) op(name string, d, x, y vec) {
	if name == "exponent64" {
		m.code(0x4f745400|uint32(x)<<5|uint32(d), "shl v%d.2d, v%d.2d, #52", d, x)
		return
	}
	i, ok := threes[name]
	if !ok {
		panic("no instruction for " + name)
	}
	m.code(i.code|uint32(y)<<16|uint32(x)<<5|uint32(d), "%s v%d.%s, v%d.%s, v%d.%s", i.name, d, i.as, x, i.as, y, i.as)
}

// two writes an instruction with two vector operands: d is the result, and x is the input.
func (m *arm64) two(code uint32, name string, d, x vec) {
	m.code(code|uint32(x)<<5|uint32(d), "%s v%d, v%d", name, d, x)
}

func (m *arm64) zero(d vec)          { m.ins("VEOR V%d.B16, V%d.B16, V%d.B16", d, d, d) }
func (m *arm64) copy(d, s vec)       { m.ins("VMOV V%d.B16, V%d.B16", s, d) }
func (m *arm64) sqrt(d, x vec)       { m.two(0x6ea1f800, "fsqrt.4s", d, x) }
func (m *arm64) toFloat(d, x vec)    { m.two(0x4e21d800, "scvtf.4s", d, x) }
func (m *arm64) maximum(d, x, y vec) { m.op("fmaxnm", d, x, y) }
func (m *arm64) positive(d, x, y vec) {
	m.two(0x4ea0c800, "fcmgt.4s #0.0", y, y)
	m.op("and", d, x, y)
}

func (m *arm64) widen(d vec, p gp) {
	m.ins("FMOVD (%v), F%d", p, d)
	m.two(0x0e617800, "fcvtl.2d", d, d)
}
func (m *arm64) narrow(s vec, p gp) {
	m.two(0x0e616800, "fcvtn.2s", s, s)
	m.ins("FMOVD F%d, (%v)", s, p)
}

// For the first word of a round, word writes one instruction that loads all words of the round. For
// the others, it only returns their lanes.
func (m *arm64) word(x vec, row, index gp, i, words int) (vec, int) {
	m.pairsOf.vec = -1
	register := uint32(index)<<16 | uint32(row)<<5 | uint32(x)
	switch {
	case words == 4 && i == 0:
		m.code(0x3ce06800|register, "ldr q%d, [x%d, x%d]", x, int(row), int(index))
	case words == 1:
		m.code(0xbc606800|register, "ldr s%d, [x%d, x%d]", x, int(row), int(index))
	}
	return x, i
}

// lane returns the operand bits of an instruction that select lane i of the vector y as its last
// operand. A lane holds a 32-bit word.
func lane(y vec, i int) uint32 { return uint32(y)<<16 | uint32(i&1)<<21 | uint32(i>>1)<<11 }

func (m *arm64) product(d, w, x vec, i int) {
	m.code(0x4f801000|lane(x, i)|uint32(w)<<5|uint32(d), "fmla v%d.4s, v%d.4s, v%d.s[%d]", d, w, x, i)
}

func (m *arm64) prepareDots() { m.pairsOf.vec = -1 }

// dot adds four products of bytes to each lane of d. For processors without instructions for dot
// products of bytes, a vector of weights holds the weights of the first two input channels for four
// output channels, followed by those of the other two input channels; see place in package kernel.
func (m *arm64) dot(d, w, x vec, i int) {
	if m.hasDot {
		m.code(0x4f80e000|lane(x, i)|uint32(w)<<5|uint32(d), "sdot v%d.4s, v%d.16b, v%d.4b[%d]", d, w, x, i)
		return
	}
	if m.pairsOf.vec != x || m.pairsOf.lane != i {
		m.pairsOf.vec, m.pairsOf.lane = x, i
		m.ins("VDUP V%d.H[%d], V%d.H8", x, 2*i, low)
		m.ins("VDUP V%d.H[%d], V%d.H8", x, 2*i+1, high)
	}
	m.products(d, w, low, high, product+d%2)
}

// products multiplies the sixteen signed bytes of x by signed bytes, and adds the products to the
// four lanes of d. It multiplies the lower half of x by the lower half of low, and the upper half
// of x by the upper half of high. It adds the products of the bytes 2i, 2i+1, 8+2i and 9+2i to lane
// i of d. The register product holds sums of two products in lanes of 16 bits. They fit, because a
// product of an activation and a weight is at most 127·127.
func (m *arm64) products(d, x, low, high, product vec) {
	code := func(x, y vec) uint32 { return uint32(y)<<16 | uint32(x)<<5 | uint32(product) }
	m.code(0x0e20c000|code(x, low), "smull v%d.8h, v%d.8b, v%d.8b", product, x, low)
	m.code(0x4e208000|code(x, high), "smlal2 v%d.8h, v%d.16b, v%d.16b", product, x, high)
	m.two(0x4e606800, "sadalp.4s.8h", d, product)
}

func (m *arm64) activations(row []vec, p gp) {
	top := low
	m.ins("MOVD $0x42fe0000, %v", scratchR) // the bits of the float 127
	m.ins("VDUP %v, V%d.S4", scratchR, top)
	for _, v := range row {
		m.op("fminnm", v, v, top)
		m.two(0x4e21a800, "fcvtns.4s", v, v)
	}
	m.op("uzp16", row[0], row[0], row[1])
	m.op("uzp16", row[2], row[2], row[3])
	m.op("uzp8", row[0], row[0], row[2])
	m.store(row[0], p, 0)
}

func (m *arm64) addRow(sums []vec, row gp, coefficient vec, tmp []vec) {
	for some := range slices.Chunk(sums, len(tmp)) {
		m.loads(tmp[:len(some)], row)
		for i, sum := range some {
			if coefficient == none {
				m.op("add16", sum, sum, tmp[i])
			} else {
				m.product(sum, tmp[i], coefficient, 0)
			}
		}
	}
}

func (m *arm64) columnBytes(sums []vec, shift, dst gp) {
	zero, top, by := low, high, product
	m.zero(zero)
	m.ins("NEG %v, %v", shift, shift) // shifting left by a negative number shifts right
	m.ins("VDUP %v, V%d.H8", shift, by)
	m.ins("MOVD $0x7f, %v", shift)
	m.ins("VDUP %v, V%d.H8", shift, top)
	for i, v := range sums {
		m.op("sshl16", v, v, by)
		m.op("smax16", v, v, zero)
		m.op("smin16", v, v, top)
		if i%2 == 1 {
			m.op("uzp8", sums[i/2], v-1, v)
		}
	}
	m.stores(sums[:len(sums)/2], dst)
}

func (m *arm64) inputs(x []vec, src, _ gp) { m.loads(x, src) }

func (m *arm64) rowProducts(sums []vec, row, _ gp, x []vec, whole bool) {
	w := []vec{spareV - 2, spareV - 1}
	m.loads(w, row)
	for i := range w {
		switch {
		case !whole:
			m.op("fmla", sums[i], w[i], x[i])
		case m.hasDot:
			m.op("sdot", sums[0], w[i], x[i])
		default:
			m.products(sums[0], w[i], x[i], x[i], product+vec(i))
		}
	}
}

func (m *arm64) finishLogits(sums [][]vec, rows []gp, _, dst gp) {
	a, b, c, d := sums[0][0], sums[1][0], sums[2][0], sums[3][0]
	m.op("addp32", a, a, b)
	m.op("addp32", c, c, d)
	m.op("addp32", a, a, c)
	m.toFloat(a, a)
	for i, ends := range []vec{c, d} { // each row ends with its scale and its bias
		m.ins("FMOVD (%v), F%d", rows[2*i], ends)
		m.ins("VLD1 (%v), V%d.D[1]", rows[2*i+1], ends)
	}
	m.op("evens", b, c, d)
	m.op("fmul", a, a, b)
	m.op("odds", b, c, d)
	m.op("fadd", a, a, b)
	m.store(a, dst, 0)
}

func (m *arm64) finishDots(sums [][]vec, _ []gp, _, dst gp) {
	for i, s := range sums {
		sum, other := s[0], s[1]
		m.op("fadd", sum, sum, other)
		m.code(0x5e180400|uint32(sum)<<5|uint32(other), "mov d%d, v%d.d[1]", other, sum)
		m.op("fadd", sum, sum, other)
		m.ins("VDUP V%d.S[1], V%d.S4", sum, other)
		m.op("fadd", sum, sum, other)
		m.ins("FMOVS F%d, %d(%v)", sum, 4*i, dst)
	}
}

func (m *arm64) opConstant(name string, d, x vec, table gp, row int) {
	m.load(high, table, 32*row)
	m.op(name, d, x, high)
}

func (m *arm64) exitBeyond(numbers, _ gp) {
	m.load(0, numbers, 0)
	// These are the bits of the float 87, the limit in the table of constants.
	m.ins("MOVD $0x42ae0000, %v", scratchR)
	m.ins("VDUP %v, V1.S4", scratchR)
	m.op("facge", 1, 1, 0)
	m.two(0x6eb1a800, "uminv.4s", 1, 1)
	m.ins("FMOVS F1, %v", scratchR)
	m.ins("CMNW $1, %v", scratchR) // compares the number with -1, which has only one bits
	m.ins("BNE end")
}
