// Package binary hands out a model as one executable: this program with a tail
// that holds the checkpoint.
//
//	| executable | head | checkpoint | SHA-256 of the checkpoint | its length | magic |
//	             8 bytes              32 bytes                    8 bytes,     8 bytes
//	                                                              little-endian
//
// Operating systems ignore what follows an executable's image. A signature may
// follow the tail, where a program for Windows is signed. The executable itself
// says that it carries a model, so that a tail that is lost, by an interrupted
// download or by strip, is noticed; see carries. One for macOS cannot say so.
package binary

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"dojo.example/games/box"
	"dojo.example/model"
)

const (
	head     = "dojo\x00mod"
	magic    = "dojo\x00bo2"
	tailSize = int64(sha256.Size + 8 + len(magic))
)

// Overhead is the number of bytes that Write adds besides the checkpoint.
const Overhead = int64(len(head)) + tailSize

// carries ends in 1 in a program that carries a model: Write changes the 0 in
// its copy. A program for macOS is left as it is, since its signature would
// break.
var carries = "dojo:carries-a-model:0"

// carriesPrefix finds carries in a program. It is put together at run time, so
// that the program contains the text only once.
func carriesPrefix() []byte {
	return []byte(strings.Join([]string{"dojo", "carries-a-model", ""}, ":"))
}

// payload locates the model that a program carries.
type payload struct {
	end           int64 // of the executable alone
	start, length int64 // of the checkpoint; length is 0 if there is none
	sum           []byte
}

// maxSignature bounds the signature that may follow the tail, in bytes.
const maxSignature = 1 << 16

// findPayload finds the checkpoint in a program of size bytes.
func findPayload(r io.ReaderAt, size int64) (p payload, err error) {
	none := payload{end: size}
	from := max(0, size-maxSignature-tailSize)
	last := make([]byte, size-from)
	if _, err := io.ReadFull(io.NewSectionReader(r, from, size-from), last); err != nil {
		return none, err
	}
	at := bytes.LastIndex(last, []byte(magic)) - sha256.Size - 8 // of the tail
	if at < 0 {
		return none, nil
	}
	tail := from + int64(at)
	length := int64(binary.LittleEndian.Uint64(last[at+sha256.Size:]))
	if length <= 0 || length > tail-int64(len(head)) {
		return none, fmt.Errorf("the model it carries has %d bytes of %d: the file is damaged", length, size)
	}
	p = payload{end: tail - length - int64(len(head)), start: tail - length, length: length, sum: last[at : at+sha256.Size]}
	begins := make([]byte, len(head))
	if _, err := r.ReadAt(begins, p.end); err != nil {
		return none, err
	}
	if string(begins) != head {
		return none, errors.New("the model it carries does not begin where its length says: the file is damaged")
	}
	return p, nil
}

// Write writes an executable and the tail with an encoded checkpoint. The model
// that the executable carries already is left out, and those in the box are
// overwritten with zeros; in a program for macOS, whose signature would break,
// the box stays.
func Write(w io.Writer, executable, checkpoint []byte) error {
	old, err := findPayload(bytes.NewReader(executable), int64(len(executable)))
	if err != nil {
		return err
	}
	program := slices.Clone(executable[:old.end])
	if !signed(program) {
		box.Erase(program)
	}
	if at := bytes.Index(program, carriesPrefix()); at >= 0 && !signed(program) {
		program[at+len(carriesPrefix())] = '1'
	}
	sum := sha256.Sum256(checkpoint)
	tail := append(binary.LittleEndian.AppendUint64(sum[:], uint64(len(checkpoint))), magic...)
	for _, part := range [][]byte{program, []byte(head), checkpoint, tail} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// signed reports whether a program is for macOS, which checks every page of it
// against a signature.
func signed(program []byte) bool {
	return bytes.HasPrefix(program, []byte{0xcf, 0xfa, 0xed, 0xfe})
}

// Carried returns the model that the running executable carries, or nil.
func Carried() (*model.Checkpoint, error) {
	marked := strings.HasSuffix(carries, "1")
	path, err := os.Executable()
	f, bad := os.Open(path)
	if err = cmp.Or(err, bad); err != nil {
		if marked {
			return nil, fmt.Errorf("the model it carries: %w", err)
		}
		return nil, nil // a program that may not read itself carries nothing
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	c, err := readPayload(f, info.Size(), marked)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// readPayload reads the model that a program of size bytes carries, or nil.
func readPayload(r io.ReaderAt, size int64, marked bool) (*model.Checkpoint, error) {
	p, err := findPayload(r, size)
	if err != nil {
		return nil, err
	}
	if p.length == 0 {
		if marked {
			return nil, errors.New("the model it carried is cut off: the file is damaged, fetch or export it again")
		}
		return nil, nil
	}
	checkpoint := make([]byte, p.length)
	if _, err := r.ReadAt(checkpoint, p.start); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(checkpoint); !bytes.Equal(sum[:], p.sum) {
		return nil, errors.New("the model it carries is damaged: its checksum is another; fetch or export the file again")
	}
	c, err := model.Decode(bytes.NewReader(checkpoint))
	if err != nil {
		return nil, fmt.Errorf("the model it carries: %w", err)
	}
	return c, nil
}
