// Package binary exports a model as one executable: a copy of dojo with the checkpoint at its end.
//
//	| executable | head | checkpoint | SHA-256 of the checkpoint | its length | magic |
//	             8 bytes              32 bytes                    8 bytes,     8 bytes
//	                                                              little-endian
//
// Operating systems ignore the bytes after an executable's image. In a signed program for Windows,
// a signature may follow the appended bytes. A mark inside the executable records that it carries a
// model. With it, the executable detects that its end was lost, for example after an interrupted
// download or after strip; see carries. A program for macOS has no mark.
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

// Overhead is the number of bytes that Write adds in addition to the checkpoint.
const Overhead = int64(len(head)) + tailSize

// carries marks a program that carries a model: in the copy that Write makes, the last character is
// 1 instead of 0. In a copy for macOS it stays 0, because a change would break the program's
// signature.
var carries = "dojo:carries-a-model:0"

// carriesPrefix returns the beginning of the mark. Write uses it to find the mark in a program. The
// text is assembled at run time: as a literal, it would be in the program twice.
func carriesPrefix() []byte {
	return []byte(strings.Join([]string{"dojo", "carries-a-model", ""}, ":"))
}

// payload locates the checkpoint in a program.
type payload struct {
	end           int64  // size of the executable without everything that Write adds
	start, length int64  // offset and size of the checkpoint; length is 0 if there is none
	sum           []byte // SHA-256 of the checkpoint
}

// maxSignature is the largest size, in bytes, of a signature that may follow the bytes that Write
// has appended.
const maxSignature = 1 << 16

// findPayload finds the checkpoint in a program of the given size in bytes.
func findPayload(r io.ReaderAt, size int64) (p payload, err error) {
	none := payload{end: size}
	from := max(0, size-maxSignature-tailSize)
	last := make([]byte, size-from)
	if _, err := io.ReadFull(io.NewSectionReader(r, from, size-from), last); err != nil {
		return none, err
	}
	at := bytes.LastIndex(last, []byte(magic)) - sha256.Size - 8 // offset of the tail in last
	if at < 0 {
		return none, nil
	}
	tail := from + int64(at)
	length := int64(binary.LittleEndian.Uint64(last[at+sha256.Size:]))
	if length <= 0 || length > tail-int64(len(head)) {
		return none, fmt.Errorf("the program is damaged: its model would have %d bytes, but the file has only %d; fetch or export the program again", length, size)
	}
	p = payload{end: tail - length - int64(len(head)), start: tail - length, length: length, sum: last[at : at+sha256.Size]}
	begins := make([]byte, len(head))
	if _, err := r.ReadAt(begins, p.end); err != nil {
		return none, err
	}
	if string(begins) != head {
		return none, errors.New("the program is damaged: its model does not begin where its length says; fetch or export the program again")
	}
	return p, nil
}

// Write writes a copy of an executable and adds the encoded checkpoint. If the executable already
// carries a model, the copy does not contain that model. The built-in models are overwritten with
// zeros, except in a program for macOS, because a change would break its signature.
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

// signed reports whether a program is for macOS, where every page of a program must match the
// program's signature.
func signed(program []byte) bool {
	return bytes.HasPrefix(program, []byte{0xcf, 0xfa, 0xed, 0xfe})
}

// Carried returns the model that the running executable carries, or nil if it carries none.
func Carried() (*model.Checkpoint, error) {
	marked := strings.HasSuffix(carries, "1")
	path, err := os.Executable()
	f, bad := os.Open(path)
	if err = cmp.Or(err, bad); err != nil {
		if marked {
			return nil, fmt.Errorf("cannot read the model that this program carries: %w", err)
		}
		return nil, nil // this program has no mark, so it never carried a model
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

// readPayload returns the model that a program carries, or nil if it carries none. size is the
// program's size in bytes. If marked is true, the program has the mark, so it must carry a model.
func readPayload(r io.ReaderAt, size int64, marked bool) (*model.Checkpoint, error) {
	p, err := findPayload(r, size)
	if err != nil {
		return nil, err
	}
	if p.length == 0 {
		if marked {
			return nil, errors.New("the program is damaged: its model is cut off; fetch or export the program again")
		}
		return nil, nil
	}
	checkpoint := make([]byte, p.length)
	if _, err := r.ReadAt(checkpoint, p.start); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(checkpoint); !bytes.Equal(sum[:], p.sum) {
		return nil, errors.New("the program is damaged: the checksum of its model is wrong; fetch or export the program again")
	}
	c, err := model.Decode(bytes.NewReader(checkpoint))
	if err != nil {
		return nil, fmt.Errorf("the model that the program carries: %w", err)
	}
	return c, nil
}
