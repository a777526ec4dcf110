package main

import (
	"fmt"
	"strings"
)

// An amd64 generates the kernels for AVX2 and AVX-512.
type amd64 struct {
	*assembler
	wide  int // number of bytes in the largest vectors of the processor
	dots  dot
	bytes int // number of bytes in the vectors of the current function
}

// A dot selects the instructions for dot products of bytes.
type dot int

const (
	paired dot = iota // the three instructions VPMADDUBSW, VPMADDWD and VPADDD
	vex               // VPDPBUSD, encoded as in AVX-VNNI, which Go's assembler does not support
	evex              // VPDPBUSD, encoded as in AVX-512
)

// integersX holds the assembly syntax for operations on general registers; see type integers. DI
// holds the address of the kernel's arguments. Go reserves SP and R14.
var integersX = integers{
	name: func(r gp) string { return gpX[r] }, argument: "MOVQ a+0(FP), DI",
	get: "MOVQ %d(DI), %s", put: "MOVQ %[2]s, %[1]d(DI)", mov: "MOVQ %s, %s", set: "MOVQ $%d, %s",
	add: "ADDQ %s, %s", addNumber: "ADDQ $%d, %s", and: "ANDQ $%d, %s", shift: "SHRQ $%d, %s",
	load32: "MOVL %d(%s), %s", load16: "MOVWQZX %d(%s), %s", scaled: "LEAQ (%[1]s)(%[2]s*%[3]d), %[4]s",
	countDown: "DECQ %s", countField: "DECQ %d(DI)", compare: "CMPQ %[1]s, $%[2]d",
	whileNot0: "JNZ %s", ifMore: "JGT %s", ifNotMore: "JLE %s", if0: "TESTQ %[1]s, %[1]s\n\tJZ %[2]s",
}

var gpX = []string{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R15"}

func (m *amd64) tile() tile { return tile{rows: m.wide / 8, vectors: 2, words: 1, sets: 1} }
func (m *amd64) lanes() int { return m.bytes / 4 }

// spare returns the second-to-last vector register, which this machine uses for a product. The last
// register holds ones. No other code uses these two registers.
func (m *amd64) spare() vec { return vec(m.bytes/2 - 2) }

func (m *amd64) begin(name, argument string) {
	m.bytes = m.wide
	// Always use 32 bytes for these kernels: with longer vectors, they would add in a different
	// order.
	if name == "Logits" || name == "Dots" {
		m.bytes = 32
	}
	m.function(name, argument, []gp{0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12})
}

func (m *amd64) end() { m.ins("VZEROUPPER\n\tRET") }

func mem(base gp, offset int) string { return fmt.Sprintf("%d(%s)", offset, gpX[base]) }

func (m *amd64) chosenRow(d, index, stride, rows gp) {
	if d != index {
		m.mov(d, index)
	}
	m.ins("IMULQ %s, %s", gpX[stride], gpX[d])
	m.add(d, rows)
}
func (m *amd64) inputRow(d, at gp, i int, src, zeros gp) {
	m.ins("MOVLQSX %s, %s", mem(at, 4*i), gpX[d])
	m.ins("TESTQ %s, %s", gpX[d], gpX[d])
	m.ins("LEAQ (%s)(%s*1), %s", gpX[src], gpX[d], gpX[d])
	m.ins("CMOVQMI %s, %s", gpX[zeros], gpX[d])
}

// v returns the name of vector register r at the current function's vector width. x and y return
// the names of the register's first 16 and first 32 bytes.
func (m *amd64) v(r vec) string {
	if m.bytes == 64 {
		return fmt.Sprintf("Z%d", r)
	}
	return y(r)
}
func x(r vec) string { return fmt.Sprintf("X%d", r) }
func y(r vec) string { return fmt.Sprintf("Y%d", r) }

func (m *amd64) load(d vec, base gp, offset int) { m.ins("VMOVUPS %s, %s", mem(base, offset), m.v(d)) }
func (m *amd64) store(s vec, base gp, n int)     { m.ins("VMOVUPS %s, %s", m.v(s), mem(base, n)) }
func (m *amd64) loads(d []vec, p gp)             { eachOf(m, d, p, m.load) }
func (m *amd64) stores(s []vec, p gp)            { eachOf(m, s, p, m.store) }
func (m *amd64) dup(d vec, base gp, n int)       { m.ins("VBROADCASTSS %s, %s", mem(base, n), m.v(d)) }

func (m *amd64) zero(d vec) {
	name := "VPXOR"
	if m.bytes == 64 {
		name = "VPXORD"
	}
	m.ins("%s %s, %s, %s", name, m.v(d), m.v(d), m.v(d))
}
func (m *amd64) copy(d, s vec) { m.ins("VMOVUPS %s, %s", m.v(s), m.v(d)) }

var namesX = map[string]string{
	"fadd": "VADDPS", "fsub": "VSUBPS", "fmul": "VMULPS", "fdiv": "VDIVPS", "add32": "VPADDD", "fma": "VFMADD231PS",
	"fadd64": "VADDPD", "fsub64": "VSUBPD", "fmul64": "VMULPD", "add64": "VPADDQ",
}

func (m *amd64) op(name string, d, x, y vec) {
	if name == "exponent64" {
		m.ins("VPSLLQ $52, %s, %s", m.v(x), m.v(d))
		return
	}
	m.ins("%s %s, %s, %s", namesX[name], m.v(y), m.v(x), m.v(d))
}
func (m *amd64) sqrt(d, x vec)       { m.ins("VSQRTPS %s, %s", m.v(x), m.v(d)) }
func (m *amd64) toFloat(d, x vec)    { m.ins("VCVTDQ2PS %s, %s", m.v(x), m.v(d)) }
func (m *amd64) maximum(d, x, y vec) { m.ins("VMAXPS %s, %s, %s", m.v(y), m.v(x), m.v(d)) }

func (m *amd64) positive(d, x, y vec) {
	tmp := m.spare()
	m.zero(tmp)
	if m.bytes == 64 { // predicate $30 means greater than (false for NaN, without exceptions)
		m.ins("VCMPPS $30, %s, %s, K1", m.v(tmp), m.v(y))
		m.ins("VMOVUPS.Z %s, K1, %s", m.v(x), m.v(d))
		return
	}
	m.ins("VCMPPS $30, %s, %s, %s", m.v(tmp), m.v(y), m.v(y))
	m.ins("VANDPS %s, %s, %s", m.v(x), m.v(y), m.v(d))
}

func (m *amd64) widen(d vec, p gp) { m.ins("VCVTPS2PD %s, %s", mem(p, 0), m.v(d)) }
func (m *amd64) narrow(s vec, p gp) { // stores four floats, half of a 32-byte vector
	m.ins("VCVTPD2PSY %s, %s", y(s), x(s))
	m.ins("VMOVUPS %s, %s", x(s), mem(p, 0))
}

func (m *amd64) word(v vec, row, index gp, i, _ int) (vec, int) {
	m.ins("VBROADCASTSS %s, %s", placed(row, index, 4*i), m.v(v))
	return v, 0
}
func (m *amd64) product(d, w, x vec, _ int) { m.op("fma", d, x, w) }

func (m *amd64) prepareDots() {
	if m.dots == paired {
		ones := y(15)
		m.ins("VPCMPEQD %s, %s, %s", ones, ones, ones)
		m.ins("VPSRLW $15, %s, %s", ones, ones)
	}
}

func (m *amd64) dot(d, w, x vec, _ int) { m.dotOf(d, m.v(w), w, x) }

// dotOf is like dot, but takes the weights as an assembly operand. If it is in memory and the
// generator must encode the instruction itself, dotOf first loads the weights into register w.
func (m *amd64) dotOf(d vec, weights string, w, x vec) {
	switch m.dots {
	case paired:
		m.ins("VPMADDUBSW %s, Y%d, Y14", weights, x)
		m.ins("VPMADDWD Y15, Y14, Y14")
		m.ins("VPADDD Y14, Y%d, Y%d", d, d)
	case evex:
		m.ins("VPDPBUSD %s, %s, %s", weights, m.v(x), m.v(d))
	case vex:
		if !strings.HasPrefix(weights, "Y") {
			m.ins("VMOVDQU %s, Y%d", weights, w)
		}
		m.ins("%s // VPDPBUSD Y%d, Y%d, Y%d", vpdpbusd(int(w), int(x), int(d)), w, x, d)
	}
}

// vpdpbusd returns the bytes of the instruction VPDPBUSD for three Y registers. Intel's manual
// describes the encoding as VEX.256.66.0F38.W0 50 /r.
func vpdpbusd(a, b, sum int) string {
	// VEX stores the high bits of register numbers inverted.
	high := func(r int) int { return 1 - r>>3 }
	return fmt.Sprintf("BYTE $0xc4; BYTE $0x%02x; BYTE $0x%02x; BYTE $0x50; BYTE $0x%02x",
		high(sum)<<7|1<<6|high(a)<<5|0b00010, (15-b)<<3|1<<2|0b01, 0b11<<6|sum&7<<3|a&7)
}

// activations generates code that rounds numbers to bytes. It limits the numbers to 127 first,
// because rounding would turn a number that does not fit into 32 bits into the smallest integer.
func (m *amd64) activations(row []vec, p gp) {
	top := m.spare()
	if m.bytes == 64 {
		m.ins("VPTERNLOGD $0xff, %[1]s, %[1]s, %[1]s", m.v(top))
	} else {
		m.ins("VPCMPEQD %[1]s, %[1]s, %[1]s", m.v(top))
	}
	// Shift the 32 one bits of each lane right until seven are left: the number 127.
	m.ins("VPSRLD $25, %[1]s, %[1]s", m.v(top))
	m.toFloat(top, top)
	for i, v := range row {
		m.ins("VMINPS %s, %s, %s", m.v(top), m.v(v), m.v(v))
		m.ins("VCVTPS2DQ %s, %s", m.v(v), m.v(v))
		if m.bytes == 64 {
			m.ins("VPMOVSDB %s, %s", m.v(v), mem(p, 16*i))
		}
	}
	// VPACKSSDW leaves the words in the wrong order: 0-3 of first, 0-3 of second, 4-7 of first, 4-7
	// of second. VPERMQ corrects it.
	if m.bytes == 32 {
		first, second := row[0], row[1]
		m.ins("VPACKSSDW %s, %s, %s", y(second), y(first), y(first))
		m.ins("VPERMQ $0b11011000, %s, %s", y(first), y(first))
		m.ins("VEXTRACTI128 $1, %s, %s", y(first), x(second))
		m.ins("VPACKSSWB %s, %s, %s", x(second), x(first), x(first))
		m.ins("VMOVDQU %s, %s", x(first), mem(p, 0))
	}
}

func (m *amd64) addRow(sums []vec, row gp, coefficient vec, _ []vec) {
	for i, sum := range sums {
		if coefficient == none {
			m.ins("VPADDW %s, %s, %s", mem(row, i*m.bytes), m.v(sum), m.v(sum))
		} else {
			m.ins("VFMADD231PS %s, %s, %s", mem(row, i*m.bytes), m.v(coefficient), m.v(sum))
		}
	}
}

func (m *amd64) columnBytes(sums []vec, shift, dst gp) {
	first := sums[0] + vec(len(sums)) // the registers after the sums are free
	zero, top, by := first, first+1, x(first+2)
	m.zero(zero)
	m.ins("VMOVQ %s, %s", gpX[shift], by)
	m.ins("MOVQ $0x7f, %s", gpX[shift])
	m.ins("VMOVQ %s, %s", gpX[shift], x(top))
	m.ins("VPBROADCASTW %s, %s", x(top), m.v(top))
	for i, v := range sums {
		m.ins("VPSRAW %s, %s, %s", by, m.v(v), m.v(v))
		m.ins("VPMAXSW %s, %s, %s", m.v(zero), m.v(v), m.v(v))
		m.ins("VPMINSW %s, %s, %s", m.v(top), m.v(v), m.v(v))
		if m.bytes == 64 {
			m.ins("VPMOVWB %s, %s", m.v(v), mem(dst, 32*i))
		} else if i%2 == 1 { // correct the order of the packed bytes: 0-7 of v-1, 0-7 of v, 8-15 of v-1, 8-15 of v
			m.ins("VPACKUSWB %s, %s, %s", y(v), y(v-1), y(v))
			m.ins("VPERMQ $0b11011000, %s, %s", y(v), y(v))
			m.ins("VMOVDQU %s, %s", y(v), mem(dst, 16*(i-1)))
		}
	}
	m.addNumber(dst, len(sums)*m.bytes/2)
}

// placed returns the assembly operand for the memory at base + place + offset.
func placed(base, place gp, offset int) string {
	return fmt.Sprintf("%d(%s)(%s*1)", offset, gpX[base], gpX[place])
}

func (m *amd64) inputs(x []vec, p, place gp) { m.ins("VMOVDQU %s, %s", placed(p, place, 0), y(x[0])) }

func (m *amd64) rowProducts(sums []vec, row, place gp, xs []vec, whole bool) {
	if whole {
		m.dotOf(sums[0], placed(row, place, 0), 13, xs[0])
	} else {
		m.ins("VFMADD231PS %s, %s, %s", placed(row, place, 0), y(xs[0]), y(sums[0]))
	}
}

func (m *amd64) finishLogits(sums [][]vec, rows []gp, place, dst gp) {
	a, b, c, d := sums[0][0], sums[1][0], sums[2][0], sums[3][0]
	m.ins("VPHADDD %s, %s, %s", y(b), y(a), y(a))
	m.ins("VPHADDD %s, %s, %s", y(d), y(c), y(c))
	m.ins("VPHADDD %s, %s, %s", y(c), y(a), y(a))
	m.ins("VEXTRACTI128 $1, %s, %s", y(a), x(b))
	m.ins("VPADDD %s, %s, %s", x(b), x(a), x(a))
	m.ins("VCVTDQ2PS %s, %s", x(a), x(a))
	for i, row := range rows { // each row ends with its scale and its bias
		for j, to := range []vec{c, d} {
			if i == 0 {
				m.ins("VMOVSS %s, %s", placed(row, place, 4*j), x(to))
			} else {
				m.ins("VINSERTPS $%d, %s, %s, %s", i<<4, placed(row, place, 4*j), x(to), x(to))
			}
		}
	}
	m.ins("VMULPS %s, %s, %s", x(c), x(a), x(a))
	m.ins("VADDPS %s, %s, %s", x(d), x(a), x(a))
	m.ins("VMOVUPS %s, %s", x(a), mem(dst, 0))
}

func (m *amd64) finishDots(sums [][]vec, _ []gp, _, dst gp) {
	for i, s := range sums {
		sum, other := s[0], vec(13)
		m.ins("VEXTRACTF128 $1, %s, %s", y(sum), x(other))
		m.ins("VADDPS %s, %s, %s", x(other), x(sum), x(sum))
		m.ins("VMOVHLPS %s, %s, %s", x(sum), x(sum), x(other))
		m.ins("VADDPS %s, %s, %s", x(other), x(sum), x(sum))
		m.ins("VMOVSHDUP %s, %s", x(sum), x(other))
		m.ins("VADDSS %s, %s, %s", x(other), x(sum), x(sum))
		m.ins("VMOVSS %s, %s", x(sum), mem(dst, 4*i))
	}
}

func (m *amd64) opConstant(name string, d, x vec, table gp, row int) {
	m.ins("%s %s, %s, %s", namesX[name], mem(table, 32*row), m.v(x), m.v(d))
}

func (m *amd64) exitBeyond(numbers, table gp) {
	const absolute, limit = 4, 5 // rows of the table of constants
	mask := m.gp()
	m.ins("VCVTPS2PD %s, Y0", mem(numbers, 0))
	m.ins("VANDPD %s, Y0, Y0", mem(table, 32*absolute))
	m.ins("VCMPPD $2, %s, Y0, Y0", mem(table, 32*limit)) // predicate $2: less than or equal
	m.ins("VMOVMSKPD Y0, %s", gpX[mask])
	m.ins("CMPL %s, $15", gpX[mask])
	m.ins("JNE end")
	m.free(mask)
}
