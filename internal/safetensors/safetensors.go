// Package safetensors reads and writes the safetensors format of Hugging
// Face, float32 tensors and text metadata only. No library for it is kept up
// in Go, and the format is a page:
//
//	[ header length u64 | header: JSON | tensors, one after another, little endian ]
//	header  {"__metadata__": {key: text}, name: {"dtype", "shape", "data_offsets": [begin, end]}}
//
// To the caller's metadata Write adds a checksum of the whole file, which Read verifies and
// takes out again. It comes first, so that what it covers is easily said: the length of the
// header, and all bytes behind the checksum. A file begins so:
//
//	[ header length u64 | {"__metadata__":{"sha256":" | 64 hexadecimal digits | ...
//
// A file without the checksum is refused.
package safetensors

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"dojo.example/internal/bounded"
)

// Tensor is a named array, row-major.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// entry is a tensor as the header describes it.
type entry struct {
	name    string
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

const (
	metadata = "__metadata__"
	checksum = "sha256" // the key of the metadata for the checksum of the file

	// opening is how the header of a file with a checksum begins.
	opening = `{"` + metadata + `":{"` + checksum + `":"`
	digits  = 2 * sha256.Size
)

// Write writes tensors in their order. The same content gives the same bytes.
func Write(w io.Writer, meta map[string]string, tensors []Tensor) error {
	if err := bounded.Texts(meta); err != nil {
		return err
	}
	if meta == nil {
		meta = map[string]string{}
	}
	header := map[string]entry{}
	var data []byte
	for _, t := range tensors {
		if size(t.Shape) != len(t.Data) {
			return fmt.Errorf("tensor %s has %d elements, its shape %v wants %d", t.Name, len(t.Data), t.Shape, size(t.Shape))
		}
		begin := len(data)
		var err error
		if data, err = binary.Append(data, binary.LittleEndian, t.Data); err != nil {
			return err
		}
		header[t.Name] = entry{Type: "F32", Shape: t.Shape, Offsets: [2]int{begin, len(data)}}
	}
	rest, err := behindChecksum(meta, header)
	if err != nil {
		return err
	}
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(opening)+digits+len(rest)))
	for _, part := range [][]byte{length, []byte(opening), sum(length, rest, data), rest, data} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// behindChecksum is the part of a header that follows the checksum. With it the length of the
// header is a multiple of 8.
func behindChecksum(meta map[string]string, tensors map[string]entry) ([]byte, error) {
	text := []byte(`"`)
	for _, object := range []any{meta, tensors} { // without its opening brace; keys are in order
		part, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		if len(part) > len("{}") {
			text = append(text, ',')
		}
		text = append(text, part[1:]...)
	}
	return append(text, bytes.Repeat([]byte(" "), -(len(opening)+digits+len(text))&7)...), nil
}

// sum is the checksum of a file: of the header's length, the header behind the checksum, and the
// tensors.
func sum(length, rest, data []byte) []byte {
	h := sha256.New()
	for _, part := range [][]byte{length, rest, data} {
		_, _ = h.Write(part) // a hash takes everything
	}
	return hex.AppendEncode(nil, h.Sum(nil))
}

// ErrFormat means that a file is not safetensors at all.
var ErrFormat = errors.New("it is no safetensors file")

// What a file may hold, so that an absurd one costs neither the memory nor the
// patience of its reader.
const (
	maxHeader = 4 << 20       // bytes; those of the largest networks have less than 1 MB
	maxData   = math.MaxInt32 // bytes of all tensors

	maxTexts      = 1 << 16 // a network has two tensors for each layer, with a name and four others each
	maxName       = 200     // bytes
	maxDimensions = 8
)

// Read reads a file to its end. Whatever is in it, reading takes a few times
// the memory of the file at most.
func Read(r io.Reader) (meta map[string]string, tensors []Tensor, err error) {
	length, text, err := readHeader(r)
	if err != nil {
		return nil, nil, err
	}
	meta, entries, err := parseHeader(text)
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(entries, func(a, b entry) int {
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
	rest, ok := bytes.CutPrefix(text, []byte(opening))
	switch {
	case !ok:
		return nil, nil, errors.New("it has no checksum")
	case len(rest) < digits || !bytes.Equal(rest[:digits], sum(length, rest[digits:], data)):
		return nil, nil, errors.New("it is damaged: its checksum does not match")
	}
	delete(meta, checksum)
	for _, e := range entries {
		t := Tensor{e.name, e.Shape, make([]float32, size(e.Shape))}
		if _, err := binary.Decode(data[e.Offsets[0]:], binary.LittleEndian, t.Data); err != nil {
			return nil, nil, err
		}
		tensors = append(tensors, t)
	}
	slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return meta, tensors, nil
}

// parseHeader returns the metadata and the tensors of a header. One of many small tensors would take many
// times its own memory.
func parseHeader(text []byte) (meta map[string]string, entries []entry, err error) {
	var parts map[string]json.RawMessage
	if bytes.Count(text, []byte(`"`)) > 2*maxTexts {
		return nil, nil, fmt.Errorf("its header has more than %d keys and texts", maxTexts)
	}
	if json.Unmarshal(text, &parts) != nil {
		return nil, nil, ErrFormat
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		about := parts[name]
		if name == metadata {
			if err := bounded.Unmarshal(about, &meta); err != nil {
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
		e := entry{name: name}
		if err := json.Unmarshal(about, &e); err != nil {
			return nil, nil, fmt.Errorf("tensor %s is damaged: %w", e.name, err)
		}
		entries = append(entries, e)
	}
	return meta, entries, nil
}

// readHeader reads the length of the header, as it stands in the file, and its text.
func readHeader(r io.Reader) (length, text []byte, err error) {
	length = make([]byte, 8)
	switch _, err := io.ReadFull(r, length); {
	case errors.Is(err, io.EOF):
		return nil, nil, errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, nil, ErrFormat
	case err != nil:
		return nil, nil, err
	}
	n := binary.LittleEndian.Uint64(length)
	if n < 2 || n > maxHeader {
		return nil, nil, ErrFormat
	}
	if text, err = io.ReadAll(io.LimitReader(r, int64(n))); err != nil {
		return nil, nil, err
	}
	if len(text) > 0 && text[0] != '{' {
		return nil, nil, ErrFormat
	}
	if uint64(len(text)) < n {
		return nil, nil, fmt.Errorf("it is truncated: its header takes %d bytes, the file has %d for it", n, len(text))
	}
	return length, text, nil
}

// check reports a tensor that does not follow the one that ends at begin.
func (e entry) check(begin int) error {
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
