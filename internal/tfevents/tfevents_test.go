package tfevents

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// The first frame of every event file is known: version 2 at time 0.
func TestHeader(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, nil); err != nil {
		t.Fatal(err)
	}
	want := "\x18\x00\x00\x00\x00\x00\x00\x00" // 24 bytes follow the length's checksum
	if got := b.String(); !strings.HasPrefix(got, want) || len(got) != 8+4+24+4 || !strings.Contains(got, "brain.Event:2") {
		t.Errorf("header is %q", got)
	}
	// The checksum of the length 24 as TensorFlow itself writes it.
	if got := binary.LittleEndian.Uint32(b.Bytes()[8:]); got != 0x0b117fa3 && got != masked(b.Bytes()[:8]) {
		t.Errorf("checksum %#x", got)
	}
}

// CRC-32C of "123456789" is e3069283 by every table of checksums.
func TestMask(t *testing.T) {
	crc := uint32(0xe3069283)
	if got, want := masked([]byte("123456789")), (crc>>15|crc<<17)+0xa282ead8; got != want {
		t.Errorf("masked checksum %#x, want %#x", got, want)
	}
}

// A decoder written from the format alone reads the points back.
func TestPoints(t *testing.T) {
	points := []Point{{0, 1.5, "loss/policy", 2.25}, {300, 1e9, "gate/elo", -17}}
	var b bytes.Buffer
	if err := Write(&b, points); err != nil {
		t.Fatal(err)
	}
	var got []Point
	for data := b.Bytes(); len(data) > 0; {
		n := binary.LittleEndian.Uint64(data)
		if binary.LittleEndian.Uint32(data[8:]) != masked(data[:8]) || binary.LittleEndian.Uint32(data[12+n:]) != masked(data[12:12+n]) {
			t.Fatal("a checksum is wrong")
		}
		fields := decode(t, data[12:12+n])
		if summary, ok := fields[5]; ok {
			value := decode(t, decode(t, summary)[1])
			step, _ := binary.Uvarint(fields[2])
			got = append(got, Point{int64(step), math.Float64frombits(binary.LittleEndian.Uint64(fields[1])),
				string(value[1]), math.Float32frombits(binary.LittleEndian.Uint32(value[2]))})
		}
		data = data[16+n:]
	}
	if len(got) != 2 || got[0] != points[0] || got[1] != points[1] {
		t.Errorf("read %v, want %v", got, points)
	}
}

// decode splits a protobuf message into its fields.
func decode(t *testing.T, b []byte) map[uint64][]byte {
	fields := map[uint64][]byte{}
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		b = b[n:]
		size := map[uint64]int{1: 8, 5: 4}[key&7]
		switch key & 7 {
		case 0:
			_, size = binary.Uvarint(b)
		case 2:
			length, n := binary.Uvarint(b)
			b, size = b[n:], int(length)
		}
		if size == 0 || size > len(b) {
			t.Fatal("not a message")
		}
		fields[key>>3], b = b[:size], b[size:]
	}
	return fields
}
