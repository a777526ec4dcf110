package onnx

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file encodes ONNX messages. The field numbers are from the file onnx.proto, IR version 8.

// A message is an encoded protocol buffer message. Each method returns the message with one more
// field.
type message []byte

func (m message) integer(field protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m message) bytes(field protowire.Number, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

func (m message) text(field protowire.Number, v string) message { return m.bytes(field, []byte(v)) }

// The element types of tensors (TensorProto.DataType).
const (
	typeFloat = 1
	typeInt64 = 7
)

// tensor returns a TensorProto. The bytes raw are its elements in little-endian order.
func tensor(name string, kind int64, dims []int, raw []byte) message {
	var m message
	for _, d := range dims {
		m = m.integer(1, int64(d))
	}
	return m.integer(2, kind).text(8, name).bytes(9, raw)
}

// data encodes numbers as the raw data of a tensor.
func data[T float32 | int64](v []T) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v) // cannot fail for these types
	return b
}

// attribute returns an AttributeProto with a list of integers.
func attribute(name string, v ...int64) message {
	m := message{}.text(1, name)
	for _, x := range v {
		m = m.integer(8, x)
	}
	return m.integer(20, 7) // INTS
}

// single returns an AttributeProto with one integer.
func single(name string, v int64) message {
	return message{}.text(1, name).integer(3, v).integer(20, 2) // INT
}

// value returns a ValueInfoProto, which describes an input or output. It describes floats of shape
// [batch, dims...], where batch is any number.
func value(name, doc string, dims ...int) message { return valueOf(typeFloat, name, doc, dims...) }

// valueOf is like value, but for elements of any type.
func valueOf(element int64, name, doc string, dims ...int) message {
	shape := message{}.bytes(1, message{}.text(2, "batch"))
	for _, d := range dims {
		shape = shape.bytes(1, message{}.integer(1, int64(d)))
	}
	kind := message{}.integer(1, element).bytes(2, shape)
	return message{}.text(1, name).bytes(2, message{}.bytes(1, kind)).text(3, doc)
}
