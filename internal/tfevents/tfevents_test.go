package tfevents

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// Every event file of TensorFlow begins with the number 24, the length of the first event, and with
// the checksum of this number. The first event contains the time of the first point and the
// version.
func TestHeader(t *testing.T) {
	for name, test := range map[string]struct {
		points []Point
		wall   string
	}{
		"empty":   {nil, "\x00\x00\x00\x00\x00\x00\x00\x00"},
		"a point": {[]Point{{Wall: 1}}, "\x00\x00\x00\x00\x00\x00\xf0\x3f"},
	} {
		var b bytes.Buffer
		if err := Write(&b, test.points); err != nil {
			t.Fatal(err)
		}
		want := "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\"" + "\x09" + test.wall + "\x1a\x0dbrain.Event:2"
		if got := b.String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: file begins with %q, want %q", name, got, want)
		}
	}
}

// If the disk is full, Write returns an error, whichever frame does not fit.
func TestFullDisk(t *testing.T) {
	points := []Point{{Tag: "a"}, {Tag: "b"}}
	for room := range 3 {
		if err := Write(&disk{room}, points); !errors.Is(err, errFull) {
			t.Errorf("with room for %d frames of 3: error %v", room, err)
		}
	}
}

var errFull = errors.New("no space left on device")

// disk is a writer that accepts room writes, and then returns errFull.
type disk struct{ room int }

func (d *disk) Write(p []byte) (int, error) {
	if d.room == 0 {
		return 0, errFull
	}
	d.room--
	return len(p), nil
}

// masked is based on CRC-32C. The test uses the published CRC-32C of "123456789", which is
// e3069283.
func TestMask(t *testing.T) {
	crc := uint32(0xe3069283)
	if got, want := masked([]byte("123456789")), (crc>>15|crc<<17)+0xa282ead8; got != want {
		t.Errorf("masked checksum %#x, want %#x", got, want)
	}
}

// A decoder written from the description of the format gets the same points from the file.
func TestPoints(t *testing.T) {
	points := []Point{{0, 1.5, "loss/policy", 2.25}, {300, 1e9, "gate/elo", -17}, {-1, 2e9, "", float32(math.Inf(1))}}
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
	if !slices.Equal(got, points) {
		t.Errorf("read %v, want %v", got, points)
	}
}

// decode parses a protobuf message into its fields.
func decode(t *testing.T, b []byte) map[uint64][]byte {
	fields := map[uint64][]byte{}
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		b = b[n:]
		size := len(b) + 1 // too large, so that a field of an unknown type causes an error below
		switch key & 7 {
		case 0:
			_, size = binary.Uvarint(b)
		case 1:
			size = 8
		case 2:
			length, n := binary.Uvarint(b)
			b, size = b[n:], int(length)
		case 5:
			size = 4
		}
		if size > len(b) {
			t.Fatal("not a message")
		}
		fields[key>>3], b = b[:size], b[size:]
	}
	return fields
}
