package main

import (
	"encoding/binary"
	"math"
)

// A small writer of WebAssembly modules: functions whose code is put together from
// expressions, on a memory that the module imports. Numbers are those of the
// specification's chapter on the binary format.

// An expr is code that leaves one value on the stack, or none if it is a statement.
type expr []byte

// The types of locals.
const (
	typeI32  = 0x7f
	typeF32  = 0x7d
	typeV128 = 0x7b
)

// A local is a local variable, or a parameter, by its number.
type local int

// A function of a module. Its parameters are 32-bit numbers, and it returns nothing.
type function struct {
	name   string // by which it is exported; "" if it is not
	params int
	locals []byte // their types, those of the parameters left out
	code   []byte
}

func (f *function) new(kind byte) local {
	f.locals = append(f.locals, kind)
	return local(f.params + len(f.locals) - 1)
}

// i32 declares a 32-bit local and sets it.
func (f *function) i32(value expr) local {
	l := f.new(typeI32)
	f.set(l, value)
	return l
}

// vector declares a local for a vector and sets it.
func (f *function) vector(value expr) local {
	l := f.new(typeV128)
	f.set(l, value)
	return l
}

func (f *function) do(statement expr) { f.code = append(f.code, statement...) }

func (f *function) set(l local, value expr) {
	f.do(value)
	f.do(append(expr{0x21}, unsigned(int(l))...))
}

// add adds a number to a 32-bit local.
func (f *function) add(l local, n expr) { f.set(l, plus(get(l), n)) }

// when does what body writes if the condition is not zero.
func (f *function) when(condition expr, body func()) {
	f.do(condition)
	f.do(expr{0x04, 0x40})
	body()
	f.do(expr{0x0b})
}

// repeat does what body writes, and again as long as the condition is not zero then.
func (f *function) repeat(body func(), condition func() expr) {
	f.do(expr{0x03, 0x40})
	body()
	f.do(condition())
	f.do(expr{0x0d, 0, 0x0b})
}

// times does what body writes n times, n ≥ 1; it counts n down.
func (f *function) times(n local, body func()) {
	f.repeat(body, func() expr {
		f.add(n, number(-1))
		return get(n)
	})
}

// upTo does what body writes for l from its value on in steps, as long as it is below end.
func (f *function) upTo(l local, end, step expr, body func()) {
	f.when(op(i32LtS, get(l), end), func() {
		f.repeat(body, func() expr {
			f.add(l, step)
			return op(i32LtS, get(l), end)
		})
	})
}

// Operations on numbers.
const (
	i32Eqz   = 0x45
	i32Eq    = 0x46
	i32LtS   = 0x48
	i32GeS   = 0x4e
	i32Add   = 0x6a
	i32Sub   = 0x6b
	i32Mul   = 0x6c
	i32DivS  = 0x6d
	i32Or    = 0x72
	i32Shl   = 0x74
	i32ShrS  = 0x75
	f32Ne    = 0x5c
	f32Add   = 0x92
	f32Mul   = 0x94
	f32OfI32 = 0xb2 // signed
	f64OfF32 = 0xbb
)

// Operations on vectors. Those above 0xff are "relaxed".
const (
	v128Load        = 0
	load8x8S        = 1
	load8x8U        = 2
	load32Splat     = 9
	v128Store       = 11
	v128Const       = 12
	i16x8Splat      = 16
	i32x4Splat      = 17
	f32x4Splat      = 19
	f64x2Splat      = 20
	i32x4Lane       = 27
	f64x2Gt         = 74
	v128And         = 78
	v128AnyTrue     = 83
	store32Lane     = 90
	store64Lane     = 91
	load32Lane      = 86
	load32Zero      = 92
	load64Zero      = 93
	f32x4OfF64x2    = 94
	f64x2OfF32x4    = 95
	i8x16NarrowU    = 102
	i16x8Narrow     = 133
	i16x8OfLowU     = 137
	i16x8ShrS       = 140
	i16x8Add        = 142
	i16x8MinS       = 150
	i16x8MaxS       = 152
	i32x4Add        = 174
	i32x4Sub        = 177
	i32x4Dot16      = 186
	i64x2Shl        = 203
	i64x2Add        = 206
	i64x2Sub        = 209
	i64x2Eq         = 214
	f32x4Add        = 228
	f32x4Mul        = 230
	f32x4PMin       = 234
	f32x4PMax       = 235
	f64x2Add        = 240
	f64x2Sub        = 241
	f64x2Mul        = 242
	f32x4OfI32x4    = 250
	i8x16Shuffle    = 13
	f32x4RelaxedFMA = 0x105
	relaxedDot      = 0x113
)

func op(code byte, operands ...expr) expr { return append(join(operands...), code) }

// simd is an operation on vectors.
func simd(code int, operands ...expr) expr {
	return join(append(operands, expr{0xfd}, unsigned(code))...)
}

// withLane is an operation that names a lane.
func withLane(code, lane int, operands ...expr) expr {
	return append(simd(code, operands...), byte(lane))
}

// at appends to a load or a store where it reads or writes: offset bytes behind the address.
func at(e expr, offset int) expr { return join(e, expr{0}, unsigned(offset)) }

func loadV(code int, address expr, offset int) expr { return at(simd(code, address), offset) }

func storeV(address expr, offset int, value expr) expr {
	return at(simd(v128Store, address, value), offset)
}

// storeLane stores one lane of a vector.
func storeLane(code int, address expr, offset, lane int, value expr) expr {
	return append(at(simd(code, address, value), offset), byte(lane))
}

func loadI32(address expr, offset int) expr { return at(op(0x28, address), offset) }
func loadF32(address expr, offset int) expr { return at(op(0x2a, address), offset) }
func loadU16(address expr, offset int) expr { return at(op(0x2f, address), offset) }
func storeF32(address expr, offset int, value expr) expr {
	return at(op(0x38, address, value), offset)
}

func get(l local) expr { return append(expr{0x20}, unsigned(int(l))...) }

func number(n int) expr { return append(expr{0x41}, signed(n)...) }

func constF32(x float32) expr {
	return binary.LittleEndian.AppendUint32(expr{0x43}, math.Float32bits(x))
}

// splat is a vector of four equal floats.
func splat(x float32) expr { return simd(f32x4Splat, constF32(x)) }

// zeroV is a vector of zeros.
func zeroV() expr { return append(simd(v128Const), make([]byte, 16)...) }

func plus(a, b expr) expr  { return op(i32Add, a, b) }
func minus(a, b expr) expr { return op(i32Sub, a, b) }
func mul(a, b expr) expr   { return op(i32Mul, a, b) }
func shl(a expr, n int) expr {
	return op(i32Shl, a, number(n))
}

// call calls the function whose number in the module's table is index; all functions in
// the table have as many parameters.
func call(index expr, arguments ...expr) expr {
	return join(append(arguments, index, expr{0x11}, unsigned(len(arguments)), expr{0})...)
}
