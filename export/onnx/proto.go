package onnx

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file encodes messages of ONNX. Field numbers are those of onnx.proto, IR
// version 8.

// A message is an encoded protocol buffer.
type message []byte

func (m *message) integer(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) bytes(field protowire.Number, v []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), v)
}

func (m *message) text(field protowire.Number, v string) { m.bytes(field, []byte(v)) }

// The types of tensors (TensorProto.DataType).
const (
	typeFloat = 1
	typeInt64 = 7
)

// tensor returns a TensorProto; raw is its data, little-endian.
func tensor(name string, kind int64, dims []int, raw []byte) message {
	var m message
	for _, d := range dims {
		m.integer(1, int64(d))
	}
	m.integer(2, kind)
	m.text(8, name)
	m.bytes(9, raw)
	return m
}

// data returns the bytes of numbers, as a tensor's data.
func data[T float32 | int64](v []T) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v) // these types have an encoding
	return b
}

// attribute returns an AttributeProto with a list of whole numbers.
func attribute(name string, v ...int64) message {
	var m message
	m.text(1, name)
	for _, x := range v {
		m.integer(8, x)
	}
	m.integer(20, 7) // INTS
	return m
}

// single returns an AttributeProto with one whole number.
func single(name string, v int64) message {
	var m message
	m.text(1, name)
	m.integer(3, v)
	m.integer(20, 2) // INT
	return m
}

// value returns a ValueInfoProto, the description of an input or output: floats of
// shape [batch, dims...], where batch is any number.
func value(name, doc string, dims ...int) message { return valueOf(typeFloat, name, doc, dims...) }

// valueOf is value for elements of another type.
func valueOf(element int64, name, doc string, dims ...int) message {
	var batch, shape, kind, of, m message
	batch.text(2, "batch")
	shape.bytes(1, batch)
	for _, d := range dims {
		var fixed message
		fixed.integer(1, int64(d))
		shape.bytes(1, fixed)
	}
	kind.integer(1, element)
	kind.bytes(2, shape)
	of.bytes(1, kind)
	m.text(1, name)
	m.bytes(2, of)
	m.text(3, doc)
	return m
}
