package main

import (
	"bytes"
	"fmt"
	"slices"
)

// avo writes amd64 only. This file is as much of an assembler as the kernels for arm64
// need: it writes Go's assembly as text. Vector arithmetic, most of which Go's assembler
// does not know, is written as the words of the instructions, each with a comment that
// holds the instruction as Arm writes it: the destination comes first there.

// A vec is a vector register, and a gp a general one, by its number.
type (
	vec int
	gp  int
)

func (r gp) String() string { return fmt.Sprintf("R%d", int(r)) }

// An armFile is the assembly and the Go declarations of some kernels.
type armFile struct {
	text, stubs bytes.Buffer
	fields      fields
}

// An arm64 writes the function of one kernel.
type arm64 struct {
	*armFile
	argument string // the type that the parameter points to, if it is a struct
	used     []gp
	labels   int
}

// parameter is the register that holds the function's only parameter.
const parameter gp = 0

// begin begins a function. Parameters and results take that many bytes.
func (f *armFile) begin(name, signature string, bytes int) *arm64 {
	fmt.Fprintf(&f.stubs, "\n//go:noescape\nfunc %s%s\n", name, signature)
	fmt.Fprintf(&f.text, "\n// func %s%s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", name, signature, name, bytes)
	return &arm64{armFile: f}
}

// function begins a function with one parameter, a pointer to a struct or an int.
func (f *armFile) function(name, declared, argument string) *arm64 {
	k := f.begin(name, "("+declared+")", 8)
	k.argument, k.used = argument, []gp{parameter}
	k.ins("MOVD %c+0(FP), %v", declared[0], parameter)
	return k
}

// kernel begins a function whose parameter points to a struct of package kernel.
func (f *armFile) kernel(name, argument string) *arm64 {
	return f.function(name, "a *"+argument, argument)
}

// ins writes an instruction as Go's assembler reads it.
func (f *arm64) ins(format string, operands ...any) {
	fmt.Fprintf(&f.text, "\t"+format+"\n", operands...)
}

// word writes an instruction as its code.
func (f *arm64) word(code uint32, comment string, operands ...any) {
	fmt.Fprintf(&f.text, "\tWORD $0x%08x // "+comment+"\n", append([]any{code}, operands...)...)
}

// newLabel returns a name for a label.
func (f *arm64) newLabel(name string) string {
	f.labels++
	return fmt.Sprintf("%s%d", name, f.labels)
}

func (f *arm64) label(name string) { fmt.Fprintf(&f.text, "%s:\n", name) }

// gp takes a general register that is free. Registers from 27 on are Go's, and 18 the
// operating system's.
func (f *arm64) gp() gp {
	for r := range gp(27) {
		if r != 18 && !slices.Contains(f.used, r) {
			f.used = append(f.used, r)
			return r
		}
	}
	panic("no general register is left")
}

// release gives registers back.
func (f *arm64) release(registers ...gp) {
	f.used = slices.DeleteFunc(f.used, func(r gp) bool { return slices.Contains(registers, r) })
}

// at is the memory operand of a field of the arguments.
func (f *arm64) at(field string) string {
	return fmt.Sprintf("%d(%v)", f.fields.offset(f.argument, field), parameter)
}

// load moves a field to a new register.
func (f *arm64) load(field string) gp {
	r := f.gp()
	f.ins("MOVD %s, %v", f.at(field), r)
	return r
}

// add adds a field to a register.
func (f *arm64) addField(field string, to gp) {
	r := f.load(field)
	f.ins("ADD %v, %v", r, to)
	f.release(r)
}

// countDown jumps to a label until n, which it counts down, is zero.
func (f *arm64) countDown(n gp, label string) {
	f.ins("SUBS $1, %v, %v", n, n)
	f.ins("BNE %s", label)
}

// arrangement is how a vector's lanes are named.
type arrangement string

const (
	words  arrangement = "S4"
	halves arrangement = "S2" // two words: half a vector
	shorts arrangement = "H8"
	octets arrangement = "B16"
)

// list is the operand of some registers, one behind the other.
func list(first vec, n int, as arrangement) string {
	s := "["
	for i := range n {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("V%d.%s", int(first)+i, as)
	}
	return s + "]"
}

// loadVectors loads up to four vectors and moves from behind them.
func (f *arm64) loadVectors(from gp, first vec, n int) {
	f.ins("VLD1.P %d(%v), %s", 16*n, from, list(first, n, words))
}

// forEachFour calls load for every four of n registers from first on, and for the rest.
func forEachFour(first vec, n int, do func(first vec, n int)) {
	for i := 0; i < n; i += 4 {
		do(first+vec(i), min(4, n-i))
	}
}

func (f *arm64) clear(v vec) { f.ins("VEOR V%d.B16, V%d.B16, V%d.B16", v, v, v) }

// three writes an instruction with three vectors: d is of x and y.
func (f *arm64) three(code uint32, name, as string, d, x, y vec) {
	f.word(code|uint32(y)<<16|uint32(x)<<5|uint32(d), "%s v%d.%s, v%d.%s, v%d.%s", name, d, as, x, as, y, as)
}

// two writes an instruction with two vectors.
func (f *arm64) two(code uint32, name, asTo, asFrom string, d, x vec) {
	f.word(code|uint32(x)<<5|uint32(d), "%s v%d.%s, v%d.%s", name, d, asTo, x, asFrom)
}

func (f *arm64) fadd(d, x, y vec)   { f.three(0x4e20d400, "fadd", "4s", d, x, y) }
func (f *arm64) fsub(d, x, y vec)   { f.three(0x4ea0d400, "fsub", "4s", d, x, y) }
func (f *arm64) fmul(d, x, y vec)   { f.three(0x6e20dc00, "fmul", "4s", d, x, y) }
func (f *arm64) fdiv(d, x, y vec)   { f.three(0x6e20fc00, "fdiv", "4s", d, x, y) }
func (f *arm64) fmaxnm(d, x, y vec) { f.three(0x4e20c400, "fmaxnm", "4s", d, x, y) }
func (f *arm64) fminnm(d, x, y vec) { f.three(0x4ea0c400, "fminnm", "4s", d, x, y) }
func (f *arm64) fadd64(d, x, y vec) { f.three(0x4e60d400, "fadd", "2d", d, x, y) }
func (f *arm64) fmul64(d, x, y vec) { f.three(0x6e60dc00, "fmul", "2d", d, x, y) }
func (f *arm64) fsub64(d, x, y vec) { f.three(0x4ee0d400, "fsub", "2d", d, x, y) }
func (f *arm64) add64(d, x, y vec)  { f.three(0x4ee08400, "add", "2d", d, x, y) }
func (f *arm64) facge(d, x, y vec)  { f.three(0x6e20ec00, "facge", "4s", d, x, y) }
func (f *arm64) smax32(d, x, y vec) { f.three(0x4ea06400, "smax", "4s", d, x, y) }
func (f *arm64) smax16(d, x, y vec) { f.three(0x4e606400, "smax", "8h", d, x, y) }
func (f *arm64) smin16(d, x, y vec) { f.three(0x4e606c00, "smin", "8h", d, x, y) }
func (f *arm64) sshl16(d, x, y vec) { f.three(0x4e604400, "sshl", "8h", d, x, y) }
func (f *arm64) addp32(d, x, y vec) { f.three(0x4ea0bc00, "addp", "4s", d, x, y) }
func (f *arm64) zip64(d, x, y vec)  { f.three(0x4ec03800, "zip1", "2d", d, x, y) }
func (f *arm64) evens(d, x, y vec)  { f.three(0x4e801800, "uzp1", "4s", d, x, y) }
func (f *arm64) odds(d, x, y vec)   { f.three(0x4e805800, "uzp2", "4s", d, x, y) }
func (f *arm64) uzp16(d, x, y vec)  { f.three(0x4e401800, "uzp1", "8h", d, x, y) }
func (f *arm64) uzp8(d, x, y vec)   { f.three(0x4e001800, "uzp1", "16b", d, x, y) }
func (f *arm64) add32(d, x, y vec)  { f.three(0x4ea08400, "add", "4s", d, x, y) }
func (f *arm64) add16(d, x, y vec)  { f.three(0x4e608400, "add", "8h", d, x, y) }

func (f *arm64) fsqrt(d, x vec)  { f.two(0x6ea1f800, "fsqrt", "4s", "4s", d, x) }
func (f *arm64) scvtf(d, x vec)  { f.two(0x4e21d800, "scvtf", "4s", "4s", d, x) }
func (f *arm64) fcvtns(d, x vec) { f.two(0x4e21a800, "fcvtns", "4s", "4s", d, x) }
func (f *arm64) fcvtl(d, x vec)  { f.two(0x0e617800, "fcvtl", "2d", "2s", d, x) }
func (f *arm64) fcvtl2(d, x vec) { f.two(0x4e617800, "fcvtl2", "2d", "4s", d, x) }
func (f *arm64) fcvtn(d, x vec)  { f.two(0x0e616800, "fcvtn", "2s", "2d", d, x) }
func (f *arm64) fcvtn2(d, x vec) { f.two(0x4e616800, "fcvtn2", "4s", "2d", d, x) }
func (f *arm64) sadalp(d, x vec) { f.two(0x4e606800, "sadalp", "4s", "8h", d, x) }

// positive sets the lanes of d that are above zero in x to ones, the others to zeros.
func (f *arm64) positive(d, x vec) {
	f.word(0x4ea0c800|uint32(x)<<5|uint32(d), "fcmgt v%d.4s, v%d.4s, #0.0", d, x)
}

// exponents makes the last bits of the two halves of x their exponents.
func (f *arm64) exponents(d, x vec) {
	f.word(0x4f745400|uint32(x)<<5|uint32(d), "shl v%d.2d, v%d.2d, #52", d, x)
}

// least moves the smallest of the four words of x to d.
func (f *arm64) least(d, x vec) {
	f.word(0x6eb1a800|uint32(x)<<5|uint32(d), "uminv s%d, v%d.4s", d, x)
}

// high moves the higher half of x to the lower half of d.
func (f *arm64) high(d, x vec) {
	f.word(0x5e180400|uint32(x)<<5|uint32(d), "mov d%d, v%d.d[1]", d, x)
}

// lane is the code of a lane of a vector of words as the last operand.
func lane(y vec, i int) uint32 { return uint32(y)<<16 | uint32(i&1)<<21 | uint32(i>>1)<<11 }

// fmla adds to d the products of x and lane i of y.
func (f *arm64) fmla(d, x, y vec, i int) {
	f.word(0x4f801000|lane(y, i)|uint32(x)<<5|uint32(d), "fmla v%d.4s, v%d.4s, v%d.s[%d]", d, x, y, i)
}

// fmlaVectors adds to d the products of x and y.
func (f *arm64) fmlaVectors(d, x, y vec) { f.three(0x4e20cc00, "fmla", "4s", d, x, y) }

// sdot adds to each lane of d the four products of the signed bytes in that lane of x
// and in lane i of y.
func (f *arm64) sdot(d, x, y vec, i int) {
	f.word(0x4f80e000|lane(y, i)|uint32(x)<<5|uint32(d), "sdot v%d.4s, v%d.16b, v%d.4b[%d]", d, x, y, i)
}

// sdotVectors is sdot with the lane of y that is that of x.
func (f *arm64) sdotVectors(d, x, y vec) {
	f.word(0x4e809400|uint32(y)<<16|uint32(x)<<5|uint32(d), "sdot v%d.4s, v%d.16b, v%d.16b", d, x, y)
}

// pairs adds to the four lanes of d sums of the sixteen products of signed bytes: those
// of the lower halves of x and low, and those of the higher halves of x and high. Lane i
// gets the products of bytes 2i, 2i+1, 8+2i and 9+2i. A product of activations and
// weights is at most 127·127, so that two of them have room in the 16 bits of product.
func (f *arm64) pairs(d, x, low, high, product vec) {
	code := func(x, y vec) uint32 { return uint32(y)<<16 | uint32(x)<<5 | uint32(product) }
	f.word(0x0e20c000|code(x, low), "smull v%d.8h, v%d.8b, v%d.8b", product, x, low)
	f.word(0x4e208000|code(x, high), "smlal2 v%d.8h, v%d.16b, v%d.16b", product, x, high)
	f.sadalp(d, product)
}
