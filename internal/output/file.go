// Package output writes results to the places that users name on a command line or at a prompt. It
// destroys nothing that exists there without permission:
//
//	nothing                a new file appears completely or not at all
//	a regular file         replaced, after the user has agreed or given --force
//	a symbolic link        its target is written, and the link remains
//	a character device,    written to directly, as the shell's > does
//	a pipe, /dev/stdout
//	a folder, a disk,      refused
//	a socket
//	a place for which      refused, even with --force
//	[Policy].Refuse
//	returns an error
//
// The program writes its own files with package atomicfile.
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

// Policy decides whether a place may be written and whether an existing file may be replaced. The
// zero Policy allows any place and replaces nothing.
type Policy struct {
	Refuse func(path string) error // returns an error for a place that must not be written; nil allows all places

	Force bool // replace existing files

	// Ask asks the user a question, to be answered with yes or no. It is nil if nobody can be
	// asked.
	Ask func(question string) (yes bool, err error)
}

// refuses returns an error if the place must not be written.
func (p Policy) refuses(name string) error {
	if p.Refuse == nil {
		return nil
	}
	return p.Refuse(name)
}

// allow asks for permission to replace the existing file or folder called name.
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
		return fmt.Errorf("%s exists already and was not replaced", name)
	}
	return nil
}

// File is a place for a result. Open has checked that it can be written.
type File struct {
	Name string // as the user wrote it

	path    string // Name with symbolic links resolved
	through bool   // a device or a pipe, which is written to and never replaced
	exists  bool   // a regular file, which the user allows us to replace
}

// Open checks that a file called name may and can be written, and changes nothing. Call it before
// the work that produces the result, which may take hours. Then call Write.
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
	} else if !errors.Is(err, fs.ErrNotExist) { // also true for a dangling link
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

// Try returns an error if a file at path could not be written. To find out, it creates a temporary
// file in the same folder and removes it again. It also removes temporary files that killed writers
// left there.
func Try(path string) error { return cause(path, try(path)) }

func try(path string) error {
	recent := func(f fs.FileInfo) bool { return time.Since(f.ModTime()) < 24*time.Hour }
	_ = atomicfile.Clean(filepath.Dir(path), recent) // ignore errors: the result does not depend on the cleaning
	f, release, err := atomicfile.CreateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer release()
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write writes the result. On an error a regular file is unchanged. If ctx ends while a pipe or
// device accepts no more data, Write returns, and write may continue in its own goroutine.
func (f *File) Write(ctx context.Context, write func(w io.Writer) error) error {
	return f.write(ctx, atomicfile.WriteFile, write)
}

// WriteText is Write for a text that already exists.
func (f *File) WriteText(ctx context.Context, text string) error {
	return f.Write(ctx, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// WriteExecutable is Write for an executable program.
func (f *File) WriteExecutable(ctx context.Context, write func(w io.Writer) error) error {
	return f.write(ctx, atomicfile.WriteExecutable, write)
}

func (f *File) write(ctx context.Context, atomic func(string, func(io.Writer) error) error, write func(io.Writer) error) error {
	if f.through {
		done := make(chan error, 1)
		go func() { done <- f.writeThrough(write) }() // waits for a reader, which may never come
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return cause(f.Name, ctx.Err())
		}
	}
	if _, err := os.Lstat(f.path); err == nil && !f.exists {
		return fmt.Errorf("%s was created by another program in the meantime and was not replaced", f.Name)
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

// cause wraps err with the name of the file, without naming a file twice. It returns nil if err is
// nil.
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

// isStream reports whether name denotes a stream that is already open. The stream may lead to a
// regular file, but that file belongs to the shell and must not be replaced.
func isStream(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	return name == "/dev/stdout" || name == "/dev/stderr" ||
		strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// writable reports whether a file with this mode is written to directly. It returns an error if
// such a file cannot be written at all.
func writable(mode fs.FileMode) (through bool, err error) {
	switch {
	case mode.IsRegular():
		return false, nil
	case mode&fs.ModeCharDevice != 0, mode&fs.ModeNamedPipe != 0:
		return true, nil
	case mode.IsDir():
		return false, errors.New("is a folder, not a file")
	case mode&fs.ModeDevice != 0:
		return false, errors.New("is a disk; name a file instead")
	}
	return false, errors.New("is not a file, a device or a pipe")
}
