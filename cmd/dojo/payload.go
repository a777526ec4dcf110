package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"dojo/model"
	"dojo/models"
)

// A program that carries a model is this executable with a tail:
//
//	| executable | head | checkpoint | SHA-256 of the checkpoint | its length | magic |
//	             8 bytes              32 bytes                    8 bytes,     8 bytes
//	                                                              little-endian
//
// The systems that programs run on do not look behind the executable's end. A
// signature may follow, where a program for Windows is signed.
// So that a tail that is lost, by a download that broke off or by strip, is
// noticed, the executable itself says that it carries a model: see carries.
const (
	head     = "dojo\x00mod"
	magic    = "dojo\x00bo2"
	tailSize = int64(sha256.Size + 8 + len(magic))
	oldMagic = "dojo\x00bot" // of programs that had neither head nor checksum
	oldSize  = 8 + int64(len(oldMagic))
)

// carries ends in 1 in a program that carries a model: export changes the 0 in
// the copy that it writes. It does not in a program for macOS, whose signature
// would break; that one is known by the head at the end of its image.
var carries = "dojo:carries-a-model:0"

// carriesPrefix is how to find carries in a program, where the whole of it
// stands only once.
func carriesPrefix() []byte {
	return []byte(strings.Join([]string{"dojo", "carries-a-model", ""}, ":"))
}

// errLost is told of a program whose model is gone.
var errLost = errors.New("the model it carried is cut off: the file is damaged, fetch or export it again")

// payload is where a program ends and the model that it carries lies.
type payload struct {
	end           int64 // of the executable alone
	start, length int64 // of the checkpoint; length is 0 if there is none
	sum           []byte
}

// maxSignature bounds what signing a program for Windows adds behind the tail.
const maxSignature = 1 << 16

// findPayload finds the checkpoint in a program of size bytes.
func findPayload(r io.ReaderAt, size int64) (p payload, err error) {
	if p, ok, err := findOldPayload(r, size); ok || err != nil {
		return p, err
	}
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

// findOldPayload is findPayload for the form of older programs.
func findOldPayload(r io.ReaderAt, size int64) (p payload, ok bool, err error) {
	var tail [oldSize]byte
	if size < oldSize {
		return p, false, nil
	}
	if _, err := r.ReadAt(tail[:], size-oldSize); err != nil {
		return p, false, err
	}
	if string(tail[8:]) != oldMagic {
		return p, false, nil
	}
	length := int64(binary.LittleEndian.Uint64(tail[:]))
	if length <= 0 || length > size-oldSize {
		return p, false, fmt.Errorf("the model it carries has %d bytes of %d: the file is damaged", length, size)
	}
	return payload{end: size - oldSize - length, start: size - oldSize - length, length: length}, true, nil
}

// writePayload writes an executable without the model it may carry and those in the box,
// and behind it another. In one for macOS, whose signature would break, the box stays.
func writePayload(w io.Writer, executable, checkpoint []byte) error {
	old, err := findPayload(bytes.NewReader(executable), int64(len(executable)))
	if err != nil {
		return err
	}
	program := slices.Clone(executable[:old.end])
	if !signed(program) {
		models.Erase(program)
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

// lost reports whether a program without a whole tail was to carry a model.
// marked is what the running program says of itself.
func lost(r io.ReaderAt, marked bool) bool {
	if marked {
		return true
	}
	end, err := imageEnd(r)
	if err != nil {
		return false // some system's own form, which says nothing
	}
	begins := make([]byte, len(head))
	n, _ := r.ReadAt(begins, end) // fewer at the end of the file
	return n > 0 && strings.HasPrefix(head, string(begins[:n]))
}

// carriedModel is the model at the end of the running executable, or nil.
func carriedModel() (*model.Checkpoint, error) {
	marked := strings.HasSuffix(carries, "1")
	f, size, err := openSelf()
	switch {
	case err != nil && marked:
		return nil, fmt.Errorf("the model it carries: %w", err)
	case err != nil:
		return nil, nil // a program that may not read itself carries nothing
	}
	defer f.Close()
	c, err := readPayload(f, size, marked)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return c, nil
}

// openSelf opens the running executable.
func openSelf() (f *os.File, size int64, err error) {
	path, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// readPayload reads the model that a program of size bytes carries, or nil.
func readPayload(r io.ReaderAt, size int64, marked bool) (*model.Checkpoint, error) {
	p, err := findPayload(r, size)
	if err != nil {
		return nil, err
	}
	if p.length == 0 {
		if lost(r, marked) {
			return nil, errLost
		}
		return nil, nil
	}
	checkpoint := make([]byte, p.length)
	if _, err := r.ReadAt(checkpoint, p.start); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(checkpoint); p.sum != nil && !bytes.Equal(sum[:], p.sum) {
		return nil, errors.New("the model it carries is damaged: its checksum is another; fetch or export the file again")
	}
	c, err := model.Decode(bytes.NewReader(checkpoint))
	if err != nil {
		return nil, fmt.Errorf("the model it carries: %w", err)
	}
	return c, nil
}
