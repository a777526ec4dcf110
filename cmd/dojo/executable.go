package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
)

// programPath is the package that every dojo program is built from, as Go
// notes it in the program.
const programPath = "dojo/cmd/dojo"

// checkProgram reports whether an executable is a whole dojo program for the
// system that opt names. Where it names none, opt is told.
func checkProgram(program []byte, opt *exportOptions) error {
	r := bytes.NewReader(program)
	info, err := buildinfo.Read(r)
	if err != nil {
		return errors.New("it is no dojo program, or a damaged one")
	}
	if info.Path != programPath {
		return fmt.Errorf("it is no dojo program, but one built from %s", info.Path)
	}
	for _, s := range []struct {
		what, setting string
		want          *string
	}{{"system", "GOOS", &opt.os}, {"processor", "GOARCH", &opt.arch}} {
		switch got := setting(info, s.setting); {
		case *s.want == "":
			*s.want = got
		case got != *s.want:
			return fmt.Errorf("it is built for the %s %s, not for %s", s.what, got, *s.want)
		}
	}
	end, err := imageEnd(r)
	if err != nil {
		return fmt.Errorf("its headers are damaged: %w", err)
	}
	if r.Size() < end {
		return fmt.Errorf("it is cut off: %d bytes of %d", r.Size(), end)
	}
	return nil
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// imageEnd is the end of an executable by its headers: Linux' ELF, macOS'
// Mach-O or Windows' PE. The file may go on behind it.
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
