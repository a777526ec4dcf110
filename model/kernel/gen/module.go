package main

import "encoding/binary"

// A module is a list of functions that have one parameter, a 32-bit number, and return
// nothing.
type module struct{ functions []*function }

// A function is exported by its name. Its locals are given by their types, the parameter
// left out.
type function struct {
	name   string
	locals []byte
	code   []byte
}

// encode returns the module's bytes. It imports its memory as go.mem.
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
		exports = join(exports, unsigned(len(f.name)), []byte(f.name), []byte{0}, unsigned(i))
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

func join[T ~[]byte](parts ...T) (all T) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// unsigned and signed are numbers in LEB128.
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
