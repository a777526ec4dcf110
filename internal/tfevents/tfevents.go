// Package tfevents writes scalars as a TensorBoard event file: tensorflow.Event messages in
// TFRecord frames. TensorBoard reads files whose names contain "tfevents".
//
//	frame    [ length u64 | masked crc of length u32 | event | masked crc of event u32 ]
//	event    { 1: wall time f64, 2: step varint, 3: file version | 5: summary }
//	summary  { 1: value { 1: tag, 2: f32 } }
//
// All numbers are little-endian. The format is defined in tensorflow/core/lib/io/record_writer.h,
// tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto.
package tfevents

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Point is a point on a curve: the value of the scalar called Tag at a step.
type Point struct {
	Step  int64
	Wall  float64 // seconds since 1970
	Tag   string
	Value float32
}

// Write writes an event file: a header, followed by the points in the given order. The header
// contains the time of the first point, because TensorBoard sorts runs by the time in the header.
func Write(w io.Writer, points []Point) error {
	var begin float64
	if len(points) > 0 {
		begin = points[0].Wall
	}
	version := protowire.AppendString(protowire.AppendTag(appendWall(nil, begin), 3, protowire.BytesType), "brain.Event:2")
	if err := frame(w, version); err != nil {
		return err
	}
	for _, p := range points {
		value := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), p.Tag)
		value = protowire.AppendFixed32(protowire.AppendTag(value, 2, protowire.Fixed32Type), math.Float32bits(p.Value))
		summary := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), value)
		event := protowire.AppendVarint(protowire.AppendTag(appendWall(nil, p.Wall), 2, protowire.VarintType), uint64(p.Step))
		event = protowire.AppendBytes(protowire.AppendTag(event, 5, protowire.BytesType), summary)
		if err := frame(w, event); err != nil {
			return err
		}
	}
	return nil
}

func appendWall(b []byte, wall float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, 1, protowire.Fixed64Type), math.Float64bits(wall))
}

func frame(w io.Writer, event []byte) error {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(event)))
	b = binary.LittleEndian.AppendUint32(b, masked(b))
	b = append(b, event...)
	b = binary.LittleEndian.AppendUint32(b, masked(event))
	_, err := w.Write(b)
	return err
}

// masked returns the checksum that the TFRecord format uses. It rotates a CRC-32C and adds a
// constant, because a plain CRC is weak if the data themselves contain CRCs.
func masked(b []byte) uint32 {
	crc := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return (crc>>15 | crc<<17) + 0xa282ead8
}
