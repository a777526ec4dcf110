package safetensors_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"dojo.example/internal/safetensors"
)

var (
	meta    = map[string]string{"game": "onitama", "step": "12"}
	tensors = []safetensors.Tensor{
		{Name: "a", Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}},
		{Name: "b.bias", Shape: []int{}, Data: []float32{-0.5}},
		{Name: "c", Shape: []int{0}, Data: []float32{}},
	}
)

func encode(t testing.TB) []byte {
	var b bytes.Buffer
	if err := safetensors.Write(&b, meta, tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	whole := encode(t)
	m, got, err := safetensors.Read(bytes.NewReader(whole))
	if err != nil || !reflect.DeepEqual(m, meta) || !reflect.DeepEqual(got, tensors) {
		t.Errorf("read %v, %v, %v", m, got, err)
	}
	if !bytes.Equal(whole, encode(t)) {
		t.Error("the same content gave other bytes")
	}
	// As the format requires, the header's length is a multiple of 8, and the header contains the
	// position of each tensor.
	n := binary.LittleEndian.Uint64(whole)
	want := `"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}`
	if n%8 != 0 || !bytes.Contains(whole[8:8+n], []byte(want)) {
		t.Errorf("header %q lacks %s", whole[8:8+n], want)
	}
}

func TestShapeMustFit(t *testing.T) {
	err := safetensors.Write(&bytes.Buffer{}, nil, []safetensors.Tensor{{Name: "a", Shape: []int{3}, Data: []float32{1}}})
	if err == nil {
		t.Error("a tensor of another shape was written")
	}
}

// Read returns an error if the file is truncated at any byte. If the cut is after the header's
// length, the error says that the file is truncated.
func TestTruncated(t *testing.T) {
	whole := encode(t)
	for n := range whole {
		want := "it is truncated: "
		switch {
		case n == 0:
			want = "it is empty"
		case n < 8: // the cut is inside the header's length
			want = safetensors.ErrFormat.Error()
		}
		if _, _, err := safetensors.Read(bytes.NewReader(whole[:n])); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%d of %d bytes: error %v, want %q", n, len(whole), err, want)
		}
	}
	if _, _, err := safetensors.Read(bytes.NewReader(append(encode(t), 0))); err == nil {
		t.Error("a file with a byte too many was read")
	}
}

// file returns a file with the given header, followed by the given number of data bytes.
func file(header string, data int) []byte {
	text := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(text, header...), make([]byte, data)...)
}

// sealed is like file, but includes the correct checksum.
func sealed(header string, data int) []byte {
	return reseal(file(`{"__metadata__":{"sha256":"`+strings.Repeat("0", 64)+`"},`+header[1:], data))
}

// reseal corrects the checksum of a file written by Write and then changed by a test.
func reseal(whole []byte) []byte {
	const at = 8 + len(`{"__metadata__":{"sha256":"`)
	if whole = bytes.Clone(whole); len(whole) >= at+64 {
		h := sha256.New()
		h.Write(whole[:8])
		h.Write(whole[at+64:])
		copy(whole[at:], fmt.Sprintf("%x", h.Sum(nil)))
	}
	return whole
}

// If any single bit of a file is flipped, Read returns an error.
func TestFlippedBits(t *testing.T) {
	whole := encode(t)
	if !bytes.Equal(whole, reseal(whole)) {
		t.Fatal("the checksum is not that of the header's length and of what follows it")
	}
	for i := range 8 * len(whole) {
		whole[i/8] ^= 1 << (i % 8)
		if m, _, err := safetensors.Read(bytes.NewReader(whole)); err == nil {
			t.Errorf("with bit %d of byte %d flipped, a file of %q is read", i%8, i/8, m)
		}
		whole[i/8] ^= 1 << (i % 8)
	}
}

// Read rejects a file without a checksum.
func TestNoChecksum(t *testing.T) {
	text := `{"__metadata__":{"step":"12"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	if _, _, err := safetensors.Read(bytes.NewReader(file(text, 4))); err == nil || err.Error() != "it has no checksum" {
		t.Errorf("a file without a checksum: %v", err)
	}
}

// endless is a reader that returns the bytes of head, followed by zeros without end.
type endless struct{ head *bytes.Reader }

func (e endless) Read(p []byte) (int, error) {
	if e.head.Len() > 0 {
		return e.head.Read(p)
	}
	clear(p)
	return len(p), nil
}

// Read rejects malicious headers before they cost much memory.
func TestAbsurd(t *testing.T) {
	tensor := func(name, shape, offsets string) string {
		return fmt.Sprintf("%q:{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":%s}", name, shape, offsets)
	}
	var many []string
	for i := range 1000 { // all tensors share the same data, so that a small file would expand into a large result
		many = append(many, tensor(fmt.Sprint(i), "[1000]", "[0,4000]"))
	}
	var empty strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&empty, `,"%x":{}`, i)
	}
	for name, header := range map[string]string{
		"small tensors":   "{" + empty.String()[1:] + "}",
		"a large header":  `{"a":` + strings.Repeat(" ", 5<<20) + "{}}",
		"an exabyte":      "{" + tensor("a", "[1000000000,1000000000]", "[0,4000000000000000000]") + "}",
		"an overflow":     "{" + tensor("a", "[4611686018427387904,4]", "[0,0]") + "}",
		"a negative size": "{" + tensor("a", "[-1,-1]", "[0,4]") + "}",
		"before the data": "{" + tensor("a", "[1]", "[-4,0]") + "}",
		"shared data":     "{" + strings.Join(many, ",") + "}",
		"a long name":     "{" + tensor(strings.Repeat("a", 1000), "[1]", "[0,4]") + "}",
		"dimensions":      "{" + tensor("a", "[1"+strings.Repeat(",1", 1000)+"]", "[0,4]") + "}",
		"a hole":          "{" + tensor("a", "[1]", "[4,8]") + "}",
		"nested":          `{"a":` + strings.Repeat("[", 1e6) + strings.Repeat("]", 1e6) + "}",
	} {
		for _, r := range []io.Reader{bytes.NewReader(sealed(header, 4000)), endless{bytes.NewReader(sealed(header, 0))}} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := safetensors.Read(r)
			runtime.ReadMemStats(&after)
			if err == nil || len(err.Error()) > 300 {
				t.Errorf("%s: error %v, want a line", name, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
				t.Errorf("%s took %d bytes of memory", name, used)
			}
		}
	}
	if _, _, err := safetensors.Read(endless{bytes.NewReader(nil)}); err == nil {
		t.Error("zeros without end were read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(encode(f))
	f.Add(sealed(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	f.Add(sealed(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	f.Add(halves(1, 0x7e))
	f.Add(sealed(`{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8))
	f.Fuzz(func(t *testing.T, text []byte) {
		meta, all, err := safetensors.Read(bytes.NewReader(reseal(text)))
		if err != nil {
			return
		}
		n := 0
		for _, x := range all {
			width := 4
			if x.Half {
				width = 2
			}
			n += width * len(x.Data)
		}
		if n > len(text) {
			t.Errorf("%d bytes of tensors came from a file of %d", n, len(text))
		}
		var whole, again bytes.Buffer
		if err := safetensors.Write(&whole, meta, all); err != nil {
			t.Fatal(err)
		}
		if meta, all, err = safetensors.Read(bytes.NewReader(whole.Bytes())); err != nil {
			t.Fatal(err)
		}
		if err := safetensors.Write(&again, meta, all); err != nil || !bytes.Equal(whole.Bytes(), again.Bytes()) {
			t.Errorf("what was read is written differently: %v", err)
		}
	})
}
