// Package output writes results to the places that users name on a command
// line or at a prompt. It never destroys what stands there without leave:
//
//	nothing yet            the file appears whole or not at all
//	a regular file         replaced, once the user has agreed or said --force
//	a symbolic link        the file that it leads to is written, the link stays
//	a character device,    written through, as the shell's > does
//	a pipe, /dev/stdout
//	a folder, a disk,      refused
//	a socket
//	what [Policy].Refuse   refused, also with --force
//	has an error for
//
// The files that the program keeps for itself go through package atomicfile.
package output

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dojo.example/internal/atomicfile"
)

// Policy decides about a place, and about a file that exists already. Its zero value writes to
// any place and replaces nothing.
type Policy struct {
	Refuse func(path string) error // an error for a place that must not be written; nil: there is none

	Force bool // replace what exists

	// Ask puts a question to the user, who answers yes or no; nil where
	// nobody can be asked.
	Ask func(question string) (yes bool, err error)
}

// refuses is the error for a place that must not be written.
func (p Policy) refuses(name string) error {
	if p.Refuse == nil {
		return nil
	}
	return p.Refuse(name)
}

// allow asks for leave to replace what is called name.
func (p Policy) allow(name string) error {
	if p.Force {
		return nil
	}
	if p.Ask == nil {
		return fmt.Errorf("%s exists already; --force replaces it", name)
	}
	yes, err := p.Ask(fmt.Sprintf("%s exists already; replace it?", name))
	if err != nil {
		return err
	}
	if !yes {
		return fmt.Errorf("%s exists already and stays as it is", name)
	}
	return nil
}

// File is a place for a result that Open has found fit to be written.
type File struct {
	Name string // as the user wrote it

	path    string // the same, with symbolic links followed
	through bool   // a device or a pipe: written to, never replaced
	exists  bool   // a regular file, which the user lets us replace
}

// Open checks that name may be written and can be, and leaves everything as it is: it
// is called before the work whose result Write brings, which may take hours.
func Open(name string, p Policy) (*File, error) {
	f := &File{Name: name, path: name}
	if isStream(name) {
		f.through = true
		return f, nil
	}
	info, err := os.Stat(name)
	if err == nil {
		if f.through, err = writable(info.Mode()); err != nil {
			return nil, fmt.Errorf("%s %w", name, err)
		}
		f.exists = !f.through
	} else if !errors.Is(err, fs.ErrNotExist) { // also at the end of a link
		return nil, cause(name, err)
	}
	if f.through {
		return f, nil
	}
	if f.path, _, err = atomicfile.Follow(name); err != nil {
		return nil, cause(name, err)
	}
	if err := p.refuses(name); err != nil {
		return nil, err
	}
	if err := try(f.path); err != nil {
		return nil, cause(name, err)
	}
	if f.exists {
		return f, p.allow(name)
	}
	return f, nil
}

// Try reports why the file at path could not be written: it makes a temporary beside it
// and removes it again, together with files left there by writers that were killed.
func Try(path string) error { return cause(path, try(path)) }

func try(path string) error {
	recent := func(f fs.FileInfo) bool { return time.Since(f.ModTime()) < 24*time.Hour }
	_ = atomicfile.Clean(filepath.Dir(path), recent) // what can be removed: the result does not depend on it
	f, release, err := atomicfile.CreateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer release()
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write writes the result. On an error a regular file is what it was. If ctx ends while a pipe or
// a device takes no more, so does Write; write may then go on in a goroutine of its own.
func (f *File) Write(ctx context.Context, write func(w io.Writer) error) error {
	return f.write(ctx, atomicfile.WriteFile, write)
}

// WriteText is Write for a text that is there already.
func (f *File) WriteText(ctx context.Context, text string) error {
	return f.Write(ctx, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// WriteExecutable is Write for a program.
func (f *File) WriteExecutable(ctx context.Context, write func(w io.Writer) error) error {
	return f.write(ctx, atomicfile.WriteExecutable, write)
}

func (f *File) write(ctx context.Context, atomic func(string, func(io.Writer) error) error, write func(io.Writer) error) error {
	if f.through {
		done := make(chan error, 1)
		go func() { done <- f.writeThrough(write) }() // it waits for a reader, which may never come
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return cause(f.Name, ctx.Err())
		}
	}
	if _, err := os.Lstat(f.path); err == nil && !f.exists {
		return fmt.Errorf("%s was made by somebody else meanwhile, and stays as it is", f.Name)
	}
	return atomic(f.path, write)
}

func (f *File) writeThrough(write func(io.Writer) error) error {
	w, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	if err != nil {
		return cause(f.Name, err)
	}
	defer w.Close()
	buffer := bufio.NewWriter(w)
	if err = write(buffer); err == nil {
		err = buffer.Flush()
	}
	return cause(f.Name, err)
}

// cause says what is wrong with name, without naming it twice; nil if err is nil.
func cause(name string, err error) error {
	if err == nil {
		return nil
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	} else if e := (*os.LinkError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("write %s: %w", name, err)
}

// isStream reports the names of streams that are open already. What they lead
// to may be a regular file, but it is the shell's, which must not lose it.
func isStream(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	return name == "/dev/stdout" || name == "/dev/stderr" ||
		strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// writable reports whether what has this mode is written through; the error
// names what cannot be written at all.
func writable(mode fs.FileMode) (through bool, err error) {
	switch {
	case mode.IsRegular():
		return false, nil
	case mode&fs.ModeCharDevice != 0, mode&fs.ModeNamedPipe != 0:
		return true, nil
	case mode.IsDir():
		return false, errors.New("is a folder, not a file")
	case mode&fs.ModeDevice != 0:
		return false, errors.New("is a disk, which is not written over")
	}
	return false, errors.New("is neither a file nor a device nor a pipe")
}
