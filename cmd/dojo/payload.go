package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"dojo/model"
)

// A program that carries a model is this executable with a tail:
//
//	| executable | checkpoint | length of the checkpoint | magic |
//	                            8 bytes, little-endian     8 bytes
//
// The systems that programs run on do not look behind the executable's end.
const (
	magic    = "dojo\x00bot"
	tailSize = 8 + int64(len(magic))
)

// findPayload says where the checkpoint in a program of size bytes begins; at
// the end of an executable that carries none it is missing.
func findPayload(r io.ReaderAt, size int64) (start, length int64, err error) {
	if size < tailSize {
		return size, 0, nil
	}
	var tail [tailSize]byte
	if _, err := r.ReadAt(tail[:], size-tailSize); err != nil {
		return 0, 0, err
	}
	if string(tail[8:]) != magic {
		return size, 0, nil
	}
	length = int64(binary.LittleEndian.Uint64(tail[:8]))
	if length <= 0 || length > size-tailSize {
		return 0, 0, fmt.Errorf("the model it carries has %d bytes of %d: the file is damaged", length, size)
	}
	return size - tailSize - length, length, nil
}

// writePayload writes the executable of size bytes without the model it may
// carry, and behind it another.
func writePayload(w io.Writer, executable io.ReaderAt, size int64, checkpoint []byte) error {
	end, _, err := findPayload(executable, size)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, io.NewSectionReader(executable, 0, end)); err != nil {
		return err
	}
	tail := binary.LittleEndian.AppendUint64(nil, uint64(len(checkpoint)))
	for _, part := range [][]byte{checkpoint, append(tail, magic...)} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// openSelf opens the running executable.
func openSelf() (f *os.File, size int64, err error) {
	path, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	return openSized(path)
}

func openSized(path string) (f *os.File, size int64, err error) {
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

// carriedModel is the model at the end of the running executable, or nil.
func carriedModel() (*model.Checkpoint, error) {
	f, size, err := openSelf()
	if err != nil {
		return nil, nil // a program that may not read itself carries nothing
	}
	defer f.Close()
	start, length, err := findPayload(f, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if length == 0 {
		return nil, nil
	}
	c, err := model.Decode(io.NewSectionReader(f, start, length))
	if err != nil {
		return nil, fmt.Errorf("%s: the model it carries: %w", f.Name(), err)
	}
	return c, nil
}
