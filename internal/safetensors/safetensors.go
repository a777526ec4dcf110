// Package safetensors reads and writes the safetensors format of Hugging
// Face, float32 tensors and text metadata only. No library for it is kept up
// in Go, and the format is a page:
//
//	[ header length u64 | header: JSON | tensors, one after another, little endian ]
//	header  {"__metadata__": {key: text}, name: {"dtype", "shape", "data_offsets": [begin, end]}}
//
// To the caller's metadata Write adds a checksum of each tensor, which Read
// verifies and takes out again.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"dojo/internal/bounded"
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

const (
	metadata  = "__metadata__"
	checksums = "crc32" // the key of the metadata under which Write keeps those of all tensors, as JSON
)

// Write writes tensors in their order. The same content gives the same bytes.
func Write(w io.Writer, meta map[string]string, tensors []Tensor) error {
	if err := bounded.Texts(meta); err != nil {
		return err
	}
	header := map[string]any{}
	var data [][]byte
	sums := map[string]string{}
	offset := 0
	for _, t := range tensors {
		if size(t.Shape) != len(t.Data) {
			return fmt.Errorf("tensor %s has %d elements, its shape %v wants %d", t.Name, len(t.Data), t.Shape, size(t.Shape))
		}
		header[t.Name] = entry{"F32", t.Shape, [2]int{offset, offset + 4*len(t.Data)}}
		offset += 4 * len(t.Data)
		part := encode(t.Data)
		data, sums[t.Name] = append(data, part), checksum(part)
	}
	text, err := json.Marshal(sums) // keys in order
	if err != nil {
		return err
	}
	all := map[string]string{checksums: string(text)}
	maps.Copy(all, meta)
	header[metadata] = all
	if text, err = json.Marshal(header); err != nil {
		return err
	}
	text = append(text, bytes.Repeat([]byte(" "), -len(text)&7)...)
	if err := binary.Write(w, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	for _, part := range append([][]byte{text}, data...) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func encode(values []float32) []byte {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// ErrFormat means that a file is not safetensors at all.
var ErrFormat = errors.New("it is no safetensors file")

// What a file may hold, so that an absurd one costs neither the memory nor the
// patience of its reader.
const (
	maxHeader = 64 << 20      // bytes
	maxData   = math.MaxInt32 // bytes of all tensors

	maxName       = 200 // bytes
	maxDimensions = 8
)

// Read reads a file to its end. Whatever is in it, reading takes a few times
// the memory of the file at most.
func Read(r io.Reader) (meta map[string]string, tensors []Tensor, err error) {
	header, err := readHeader(r)
	if err != nil {
		return nil, nil, err
	}
	var entries []namedEntry
	for name, text := range header {
		if name == metadata {
			if err := bounded.Unmarshal(text, &meta); err != nil {
				return nil, nil, fmt.Errorf("its metadata is damaged: %w", err)
			}
			continue
		}
		if err := bounded.Text(name); err != nil {
			return nil, nil, fmt.Errorf("the name of a tensor: %w", err)
		}
		if len(name) > maxName {
			return nil, nil, fmt.Errorf("a tensor's name has %d bytes, more than %d", len(name), maxName)
		}
		e := namedEntry{name: name}
		if err := json.Unmarshal(text, &e.entry); err != nil {
			return nil, nil, fmt.Errorf("tensor %s is damaged: %w", name, err)
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b namedEntry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]), strings.Compare(a.name, b.name))
	})
	end := 0
	for _, e := range entries {
		if err := e.check(end); err != nil {
			return nil, nil, err
		}
		end = e.Offsets[1]
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(end)+1)) // grows with the file, not with what it claims
	switch {
	case err != nil:
		return nil, nil, err
	case len(data) < end:
		return nil, nil, fmt.Errorf("it is truncated: its tensors take %d bytes, the file has %d for them", end, len(data))
	case len(data) > end:
		return nil, nil, fmt.Errorf("its tensors take %d bytes, the file has more for them", end)
	}
	if tensors, err = decode(entries, data, meta[checksums]); err != nil {
		return nil, nil, err
	}
	delete(meta, checksums)
	return meta, tensors, nil
}

// readHeader reads the header, by name of what it describes.
func readHeader(r io.Reader) (map[string]json.RawMessage, error) {
	var length [8]byte
	switch _, err := io.ReadFull(r, length[:]); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrFormat
	case err != nil:
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n < 2 || n > maxHeader {
		return nil, ErrFormat
	}
	text, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && text[0] != '{' {
		return nil, ErrFormat
	}
	if uint64(len(text)) < n {
		return nil, fmt.Errorf("it is truncated: its header takes %d bytes, the file has %d for it", n, len(text))
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, ErrFormat
	}
	return header, nil
}

type namedEntry struct {
	name string
	entry
}

// check reports a tensor that does not follow the one that ends at begin.
func (e namedEntry) check(begin int) error {
	from, to := e.Offsets[0], e.Offsets[1]
	switch {
	case e.Type != "F32":
		return fmt.Errorf("tensor %s is of type %.20q, want F32", e.name, e.Type)
	case from != begin || to < from || to > maxData:
		return fmt.Errorf("tensor %s lies at bytes %d to %d; it should begin at %d, and all end before %d", e.name, from, to, begin, maxData)
	case len(e.Shape) > maxDimensions || size(e.Shape) < 0 || 4*size(e.Shape) != to-from:
		return fmt.Errorf("tensor %s of %d dimensions has %d bytes, which is not what its shape wants", e.name, len(e.Shape), to-from)
	}
	return nil
}

// decode reads the tensors, sorted by name, and holds them to their checksums.
// Files of older programs have none.
func decode(entries []namedEntry, data []byte, sums string) ([]Tensor, error) {
	var want map[string]string
	if sums != "" {
		if err := json.Unmarshal([]byte(sums), &want); err != nil {
			return nil, fmt.Errorf("its checksums are damaged: %w", err)
		}
	}
	var tensors []Tensor
	for _, e := range entries {
		part := data[e.Offsets[0]:e.Offsets[1]]
		if sums != "" && want[e.name] != checksum(part) {
			return nil, fmt.Errorf("tensor %s is damaged: its checksum does not match", e.name)
		}
		values := make([]float32, len(part)/4)
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(part[4*i:]))
		}
		tensors = append(tensors, Tensor{e.name, e.Shape, values})
	}
	slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return tensors, nil
}

// checksum is the CRC-32 (IEEE) of a tensor's bytes in hexadecimal.
func checksum(data []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(data)) }

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
