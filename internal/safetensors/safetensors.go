// Package safetensors reads and writes Hugging Face's safetensors format, limited to tensors of
// the types F32 and F16 (floats of 32 and 16 bits) and text metadata. There is no maintained Go
// library for it, and the format is short:
//
//	[ header length u64 | header: JSON | tensors, one after another, little endian ]
//	header  {"__metadata__": {key: text}, name: {"dtype", "shape", "data_offsets": [begin, end]}}
//
// Write adds a checksum of the whole file to the caller's metadata. Read verifies the checksum and
// removes it. The checksum is the first entry of the header. It covers the length of the header and
// all bytes after the checksum. A file begins as follows:
//
//	[ header length u64 | {"__metadata__":{"sha256":" | 64 hexadecimal digits | ...
//
// Read refuses a file without a checksum.
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

// Tensor is a named array in row-major order.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
	// Half says that the file stores the tensor in the type F16, with half the bytes. All elements
	// must be numbers of this type; see RoundHalf.
	Half bool
}

// entry describes a tensor in the header.
type entry struct {
	name    string
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

const (
	metadata = "__metadata__"
	checksum = "sha256" // the metadata key of the file's checksum

	// opening is how the header of a file with a checksum begins
	opening = `{"` + metadata + `":{"` + checksum + `":"`
	digits  = 2 * sha256.Size
)

// Write writes the tensors in the given order. The same metadata and tensors always give the same
// bytes.
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
			return fmt.Errorf("tensor %s has %d elements, but its shape %v has %d", t.Name, len(t.Data), t.Shape, size(t.Shape))
		}
		begin := len(data)
		var err error
		if t.Half {
			data, err = appendHalves(data, t)
		} else {
			data, err = binary.Append(data, binary.LittleEndian, t.Data)
		}
		if err != nil {
			return err
		}
		header[t.Name] = entry{Type: typeOf(t.Half), Shape: t.Shape, Offsets: [2]int{begin, len(data)}}
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

// behindChecksum returns the part of a header that follows the checksum. It is padded with spaces
// so that the length of the whole header is a multiple of 8.
func behindChecksum(meta map[string]string, tensors map[string]entry) ([]byte, error) {
	text := []byte(`"`)
	for _, object := range []any{meta, tensors} { // append each object without its opening brace; Marshal sorts the keys
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

// sum returns the checksum of a file, which covers three parts: the header's length, the rest of
// the header after the checksum, and the data of the tensors.
func sum(length, rest, data []byte) []byte {
	h := sha256.New()
	for _, part := range [][]byte{length, rest, data} {
		_, _ = h.Write(part) // a hash never returns an error
	}
	return hex.AppendEncode(nil, h.Sum(nil))
}

// ErrFormat is the error for a file that is not in the safetensors format.
var ErrFormat = errors.New("it is not a safetensors file")

// These limits ensure that a malicious file cannot cost much memory or time.
const (
	maxHeader = 4 << 20       // in bytes; the largest networks have headers of less than 1 MB
	maxData   = math.MaxInt32 // in bytes, for all tensors together

	// maxTexts is the maximum number of strings in a header, keys included. A network has two
	// tensors per layer, each with a name and four other strings.
	maxTexts      = 1 << 16
	maxName       = 200 // in bytes
	maxDimensions = 8
)

// Read reads r to its end. Whatever the file contains, Read needs no more memory than a few times
// the file's size.
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
	data, err := io.ReadAll(io.LimitReader(r, int64(end)+1)) // allocate memory only for bytes that exist, even if the header claims more
	switch {
	case err != nil:
		return nil, nil, err
	case len(data) < end:
		return nil, nil, fmt.Errorf("it is truncated: its tensors take %d bytes, but the file has only %d for them", end, len(data))
	case len(data) > end:
		return nil, nil, fmt.Errorf("it has more bytes than the %d of its tensors", end)
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
		t := Tensor{e.name, e.Shape, make([]float32, size(e.Shape)), e.Type == typeOf(true)}
		if t.Half {
			readHalves(t.Data, data[e.Offsets[0]:])
		} else if _, err := binary.Decode(data[e.Offsets[0]:], binary.LittleEndian, t.Data); err != nil {
			return nil, nil, err
		}
		tensors = append(tensors, t)
	}
	slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return meta, tensors, nil
}

// parseHeader returns the metadata and the tensors of a header. It rejects a header with too many
// strings, because many small tensors would need much more memory than the header itself.
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
			return nil, nil, fmt.Errorf("a tensor's name: %w", err)
		}
		if len(name) > maxName {
			return nil, nil, fmt.Errorf("a tensor's name has %d bytes; at most %d are allowed", len(name), maxName)
		}
		e := entry{name: name}
		if err := json.Unmarshal(about, &e); err != nil {
			return nil, nil, fmt.Errorf("tensor %s is damaged: %w", e.name, err)
		}
		entries = append(entries, e)
	}
	return meta, entries, nil
}

// readHeader reads the header and its length. It returns the length as the file's first 8 bytes.
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
		return nil, nil, fmt.Errorf("it is truncated: its header takes %d bytes, but the file has only %d for it", n, len(text))
	}
	return length, text, nil
}

// check returns an error unless the tensor is valid and its data begin at offset begin, where the
// previous tensor's data end.
func (e entry) check(begin int) error {
	from, to := e.Offsets[0], e.Offsets[1]
	width := 4 // bytes of an element
	if e.Type == typeOf(true) {
		width = 2
	}
	switch {
	case e.Type != typeOf(true) && e.Type != typeOf(false):
		return fmt.Errorf("tensor %s has type %.20q; only F32 and F16 are supported", e.name, e.Type)
	case from != begin || to < from || to > maxData:
		return fmt.Errorf("tensor %s has bytes %d to %d; it must begin at %d, and no tensor may go beyond %d", e.name, from, to, begin, maxData)
	case len(e.Shape) > maxDimensions || size(e.Shape) < 0 || width*size(e.Shape) != to-from:
		return fmt.Errorf("tensor %s with %d dimensions has %d bytes, which does not fit its shape", e.name, len(e.Shape), to-from)
	}
	return nil
}

// typeOf returns the name of a tensor's type in the header.
func typeOf(half bool) string {
	if half {
		return "F16"
	}
	return "F32"
}

// size returns the number of elements of a tensor with the given shape, or -1 if the number is
// negative or too large.
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
