package main

import "encoding/binary"

// A module is a list of functions. A function of the table comes before all others, and
// its place there is its number.
type module struct {
	functions []*function
	table     int // number of functions in the table
}

func (m *module) function(name string, params int) *function {
	f := &function{name: name, params: params}
	m.functions = append(m.functions, f)
	if name == "" {
		m.table++
	}
	return f
}

// encode returns the module's bytes. It imports its memory as go.mem. Type n is that of
// functions of n parameters.
func (m *module) encode() []byte {
	const mostParams = 8
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(number byte, content []byte) {
		out = append(append(append(out, number), unsigned(len(content))...), content...)
	}
	types := unsigned(mostParams + 1)
	for n := range mostParams + 1 {
		types = append(append(append(types, 0x60), unsigned(n)...), repeat(typeI32, n)...)
		types = append(types, 0)
	}
	section(1, types)
	section(2, []byte("\x01\x02go\x03mem\x02\x00\x00"))
	kinds, exports, code, elements := unsigned(len(m.functions)), []byte{}, unsigned(len(m.functions)), []byte{}
	exported := 0
	for i, f := range m.functions {
		kinds = append(kinds, unsigned(f.params)...)
		if f.name == "" {
			elements = append(elements, unsigned(i)...)
		} else {
			exported++
			exports = append(append(append(exports, unsigned(len(f.name))...), f.name...), 0)
			exports = append(exports, unsigned(i)...)
		}
		body := unsigned(len(f.locals))
		for _, kind := range f.locals {
			body = append(body, 1, kind)
		}
		body = append(append(body, f.code...), 0x0b)
		code = append(append(code, unsigned(len(body))...), body...)
	}
	section(3, kinds)
	section(4, append([]byte{1, 0x70, 0}, unsigned(m.table)...))
	section(7, append(unsigned(exported), exports...))
	section(9, join([]byte{1, 0, 0x41, 0, 0x0b}, unsigned(m.table), elements))
	section(10, code)
	return out
}

func repeat(b byte, n int) (all []byte) {
	for range n {
		all = append(all, b)
	}
	return all
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
