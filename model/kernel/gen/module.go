package main

import (
	"encoding/binary"
	"math"
	"slices"
)

// This file writes WebAssembly modules. A module's functions are composed of expressions, and work
// on a memory that the module imports. The numeric constants are from the chapter on the binary
// format in the WebAssembly specification.

// An expr is code: either an expression, which leaves one value on the stack, or a statement, which
// leaves none.
type expr []byte

// The types of local variables.
const (
	typeI32  = 0x7f
	typeV128 = 0x7b
)

// Operations on numbers. selection returns its first operand if its third operand is not 0, and
// otherwise its second operand.
const (
	selection                                               = 0x1b
	i32LtS, i32GeS, i32Add, i32Mul, i32And, i32Shl, i32ShrS = 0x48, 0x4e, 0x6a, 0x6c, 0x71, 0x74, 0x75
	// f32OfI32 converts signed integers to floats.
	f32Add, f32Mul, f32OfI32 = 0x92, 0x94, 0xb2
)

// Operations on vectors. Codes above 0xff belong to the extension "relaxed SIMD".
const (
	v128Load, load32Splat, v128Store, store64Lane, v128Const = 0, 9, 11, 91, 12
	i8x16Shuffle, i16x8Splat, i32x4Splat, f32x4Splat         = 13, 16, 17, 19
	i32x4Lane, f32x4OfI32x4                                  = 27, 250
	i8x16NarrowU, i16x8Narrow                                = 102, 133
	i16x8OfLowS, i16x8OfHighS, i16x8OfLowU, i16x8OfHighU     = 135, 136, 137, 138
	i16x8ShrS, i16x8Add, i16x8MinS, i16x8MaxS                = 140, 142, 150, 152
	i32x4Add, i32x4Sub, i32x4Dot16                           = 174, 177, 186
	f32x4Add, f32x4Mul, f32x4PMin, f32x4PMax                 = 228, 230, 234, 235
	f32x4RelaxedFMA, relaxedDot                              = 0x105, 0x113
)

func op(code byte, operands ...expr) expr { return append(slices.Concat(operands...), code) }

// simd returns an expression with an operation on vectors.
func simd(code int, operands ...expr) expr {
	return slices.Concat(append(operands, expr{0xfd}, unsigned(code))...)
}

// at appends the constant offset, in bytes, to a load or a store.
func at(e expr, offset int) expr { return slices.Concat(e, expr{0}, unsigned(offset)) }

func loadV(code int, address expr, offset int) expr { return at(simd(code, address), offset) }

func storeV(address expr, offset int, value expr) expr {
	return at(simd(v128Store, address, value), offset)
}

func loadI32(address expr, offset int) expr { return at(op(0x28, address), offset) }
func loadF32(address expr, offset int) expr { return at(op(0x2a, address), offset) }
func loadU16(address expr, offset int) expr { return at(op(0x2f, address), offset) }

func read(l local) expr { return append(expr{0x20}, unsigned(int(l))...) }

func number(n int) expr { return append(expr{0x41}, signed(n)...) }

// splat returns a vector of four floats, all equal to x.
func splat(x float32) expr {
	return simd(f32x4Splat, binary.LittleEndian.AppendUint32(expr{0x43}, math.Float32bits(x)))
}

// zeroV returns a vector of zeros.
func zeroV() expr { return append(simd(v128Const), make([]byte, 16)...) }

func plus(a, b expr) expr { return op(i32Add, a, b) }

// A module is a list of functions. Each function has one parameter, a 32-bit integer, and returns
// nothing.
type module struct{ functions []*function }

// A function is a function that the module exports under its name. locals has the types of its
// local variables, without the parameter.
type function struct {
	name   string
	locals []byte
	code   []byte
}

// encode returns the module in the binary format. The module imports its memory under the name
// go.mem.
func (m *module) encode() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(number byte, content []byte) {
		out = append(append(append(out, number), unsigned(len(content))...), content...)
	}
	section(1, []byte{1, 0x60, 1, typeI32, 0})
	section(2, []byte("\x01\x02go\x03mem\x02\x00\x00"))
	n := len(m.functions)
	kinds, exports, code := append(unsigned(n), make([]byte, n)...), unsigned(n), unsigned(n)
	for i, f := range m.functions {
		exports = slices.Concat(exports, unsigned(len(f.name)), []byte(f.name), []byte{0}, unsigned(i))
		body := unsigned(len(f.locals))
		for _, kind := range f.locals {
			body = append(body, 1, kind)
		}
		body = append(append(body, f.code...), 0x0b)
		code = append(append(code, unsigned(len(body))...), body...)
	}
	section(3, kinds)
	section(7, exports)
	section(10, code)
	return out
}

// unsigned and signed encode an integer in LEB128, the variable-length format of WebAssembly.
func unsigned(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

func signed(n int) (out []byte) {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
