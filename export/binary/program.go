package binary

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"

	"dojo.example/internal/process"
)

// check returns the system and processor that an executable is built for, in
// Go's names, or an error if it is not a complete dojo program.
func check(program []byte) (goos, goarch string, err error) {
	r := bytes.NewReader(program)
	info, err := buildinfo.Read(r)
	if err != nil {
		return "", "", errors.New("it is no dojo program, or a damaged one")
	}
	if !process.Uses(info) {
		return "", "", fmt.Errorf("it is no dojo program, but one built from %s", info.Path)
	}
	end, err := imageEnd(r)
	if err != nil {
		return "", "", fmt.Errorf("its headers are damaged: %w", err)
	}
	if r.Size() < end {
		return "", "", fmt.Errorf("it is cut off: %d bytes of %d", r.Size(), end)
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			goos = s.Value
		case "GOARCH":
			goarch = s.Value
		}
	}
	return goos, goarch, nil
}

// imageEnd returns the end of an executable's image by its headers: ELF, Mach-O
// or PE. The file may be longer.
func imageEnd(r io.ReaderAt) (end int64, err error) {
	reach := func(offset, size uint64) { end = max(end, int64(offset+size)) }
	if f, err := elf.NewFile(r); err == nil {
		for _, p := range f.Progs {
			reach(p.Off, p.Filesz)
		}
		for _, s := range f.Sections {
			if s.Type != elf.SHT_NOBITS { // which take no bytes of the file
				reach(s.Offset, s.FileSize)
			}
		}
		return end, nil
	}
	if f, err := macho.NewFile(r); err == nil {
		for _, l := range f.Loads {
			if s, ok := l.(*macho.Segment); ok {
				reach(s.Offset, s.Filesz)
			}
		}
		return end, nil
	}
	f, err := pe.NewFile(r)
	if err != nil {
		return 0, err
	}
	for _, s := range f.Sections {
		reach(uint64(s.Offset), uint64(s.Size))
	}
	return end, nil
}
