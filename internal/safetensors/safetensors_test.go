package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"

	"dojo/internal/safetensors"
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
	file := encode(t)
	m, got, err := safetensors.Read(file)
	if err != nil || !reflect.DeepEqual(m, meta) || !reflect.DeepEqual(got, tensors) {
		t.Errorf("read %v, %v, %v", m, got, err)
	}
	if !bytes.Equal(file, encode(t)) {
		t.Error("the same content gave other bytes")
	}
	// The format's own words: the header is aligned and says where things are.
	n := binary.LittleEndian.Uint64(file)
	want := `"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}`
	if n%8 != 0 || !bytes.Contains(file[8:8+n], []byte(want)) {
		t.Errorf("header %q lacks %s", file[8:8+n], want)
	}
}

func TestShapeMustFit(t *testing.T) {
	err := safetensors.Write(&bytes.Buffer{}, nil, []safetensors.Tensor{{Name: "a", Shape: []int{3}, Data: []float32{1}}})
	if err == nil {
		t.Error("a tensor of another shape was written")
	}
}

// Truncated at any byte, a file is an error.
func TestTruncated(t *testing.T) {
	file := encode(t)
	for n := range file {
		if _, _, err := safetensors.Read(file[:n]); err == nil {
			t.Errorf("%d of %d bytes were read", n, len(file))
		}
	}
	if _, _, err := safetensors.Read(append(encode(t), 0)); err == nil {
		t.Error("a file with a byte too many was read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(encode(f))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, all, err := safetensors.Read(file)
		if err != nil {
			return
		}
		n := 0
		for _, x := range all {
			n += 4 * len(x.Data)
		}
		if n > len(file)*len(all) {
			t.Errorf("%d bytes of tensors came from a file of %d", n, len(file))
		}
	})
}
