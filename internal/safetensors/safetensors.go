// Package safetensors reads and writes the safetensors format of Hugging
// Face, float32 tensors and text metadata only. No library for it is kept up
// in Go, and the format is a page:
//
//	[ header length u64 | header: JSON | tensors, one after another, little endian ]
//	header  {"__metadata__": {key: text}, name: {"dtype", "shape", "data_offsets": [begin, end]}}
package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Tensor is a named array, row-major.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// entry is a tensor as the header describes it.
type entry struct {
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

const metadata = "__metadata__"

// Write writes tensors in their order. The same content gives the same bytes.
func Write(w io.Writer, meta map[string]string, tensors []Tensor) error {
	header := map[string]any{metadata: meta}
	offset := 0
	for _, t := range tensors {
		if size(t.Shape) != len(t.Data) {
			return fmt.Errorf("tensor %s has %d elements, its shape %v wants %d", t.Name, len(t.Data), t.Shape, size(t.Shape))
		}
		header[t.Name] = entry{"F32", t.Shape, [2]int{offset, offset + 4*len(t.Data)}}
		offset += 4 * len(t.Data)
	}
	text, err := json.Marshal(header) // keys in order
	if err != nil {
		return err
	}
	text = append(text, bytes.Repeat([]byte(" "), -len(text)&7)...)
	if err := binary.Write(w, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, t := range tensors {
		data := make([]byte, 0, 4*len(t.Data))
		for _, v := range t.Data {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return nil
}

// ErrFormat means that a file is not safetensors at all.
var ErrFormat = errors.New("it is no safetensors file")

// Read reads a whole file. Whatever is in it, it takes no more memory than
// the file does.
func Read(file []byte) (meta map[string]string, tensors []Tensor, err error) {
	if len(file) < 8 {
		return nil, nil, ErrFormat
	}
	n := binary.LittleEndian.Uint64(file)
	if n > uint64(len(file)-8) || n < 2 || file[8] != '{' {
		return nil, nil, ErrFormat
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+n], &header); err != nil {
		return nil, nil, ErrFormat
	}
	data := file[8+n:]
	end := 0
	for name, text := range header {
		if name == metadata {
			if err := json.Unmarshal(text, &meta); err != nil {
				return nil, nil, fmt.Errorf("its metadata is damaged: %w", err)
			}
			continue
		}
		t, stop, err := tensor(name, text, data)
		if err != nil {
			return nil, nil, err
		}
		tensors, end = append(tensors, t), max(end, stop)
	}
	if end != len(data) {
		return nil, nil, fmt.Errorf("its tensors take %d bytes, the file has %d for them", end, len(data))
	}
	slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return meta, tensors, nil
}

func tensor(name string, text []byte, data []byte) (t Tensor, end int, err error) {
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return t, 0, fmt.Errorf("tensor %s is damaged: %w", name, err)
	}
	from, to := e.Offsets[0], e.Offsets[1]
	switch {
	case e.Type != "F32":
		return t, 0, fmt.Errorf("tensor %s is of type %s, want F32", name, e.Type)
	case from < 0 || to < from || to > len(data):
		return t, 0, fmt.Errorf("tensor %s lies outside the file: it is truncated", name)
	case size(e.Shape) < 0 || 4*size(e.Shape) != to-from:
		return t, 0, fmt.Errorf("tensor %s of shape %v has %d bytes", name, e.Shape, to-from)
	}
	values := make([]float32, (to-from)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[from+4*i:]))
	}
	return Tensor{name, e.Shape, values}, to, nil
}

// size is the number of elements of a shape, -1 if there cannot be as many.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt32/d {
			return -1
		}
		n *= d
	}
	return n
}
