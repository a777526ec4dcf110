// Package output writes results to the places that users name on a command line or at a prompt.
// Without the user's permission it destroys nothing that exists there. The effect depends on what
// is at the place:
//
//	nothing                a new file appears completely or not at all
//	a regular file         it is replaced, after the user has agreed or given --force
//	a symbolic link        its target is written, and the link remains
//	a character device,    the result is written to it, as with the shell's >
//	a pipe, /dev/stdout
//	a folder, a disk,      an error
//	a socket
//	a place for which      an error, even with --force
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

// Policy decides to which places a result may be written, and whether an existing file may be
// replaced. The zero Policy allows every place and replaces nothing.
type Policy struct {
	Refuse func(path string) error // returns an error for a place to which nothing may be written; nil allows all places

	Force bool // if true, existing files are replaced without asking

	// Ask asks the user a question whose answer is yes or no. It is nil if there is no user to ask.
	Ask func(question string) (yes bool, err error)
}

// refuses returns an error if nothing may be written to the place called name.
func (p Policy) refuses(name string) error {
	if p.Refuse == nil {
		return nil
	}
	return p.Refuse(name)
}

// allow asks the user whether to replace the existing file or folder called name. It returns an
// error if the answer is no.
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

// File is a place to which a result can be written as a file. Open creates it after checking the
// place.
type File struct {
	Name string // name of the place, as the user wrote it

	path    string // the same place with symbolic links resolved
	through bool   // the place is a device or a pipe, which is written to and never replaced
	exists  bool   // the place is a regular file, and the user allows replacing it
}

// Open checks that the file called name can be written, and that p allows it. It changes nothing.
// Call Open before the work that produces the result, which may take hours, and Write after it.
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
	} else if !errors.Is(err, fs.ErrNotExist) { // a link whose target does not exist also has this error
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

// Try tests whether a file could be written at path, and returns an error if not. For this test it
// creates a temporary file in the same folder and removes it. It also removes temporary files that
// killed writers left there.
func Try(path string) error { return cause(path, try(path)) }

func try(path string) error {
	recent := func(f fs.FileInfo) bool { return time.Since(f.ModTime()) < 24*time.Hour }
	_ = atomicfile.Clean(filepath.Dir(path), recent) // an error does no harm, because the result does not depend on the cleaning
	f, release, err := atomicfile.CreateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer release()
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write writes the result. If it returns an error, a regular file is unchanged. If a pipe or a
// device accepts no more data, Write returns when ctx ends. The function write may then continue in
// its own goroutine.
func (f *File) Write(ctx context.Context, write func(w io.Writer) error) error {
	return f.write(ctx, atomicfile.WriteFile, write)
}

// WriteText is like Write, for a result that is already complete.
func (f *File) WriteText(ctx context.Context, text string) error {
	return f.Write(ctx, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// WriteExecutable is like Write, for an executable program.
func (f *File) WriteExecutable(ctx context.Context, write func(w io.Writer) error) error {
	return f.write(ctx, atomicfile.WriteExecutable, write)
}

func (f *File) write(ctx context.Context, atomic func(string, func(io.Writer) error) error, write func(io.Writer) error) error {
	if f.through {
		done := make(chan error, 1)
		go func() { done <- f.writeThrough(write) }() // a separate goroutine, because a pipe waits for a reader, which may never come
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

// cause adds the name of the file to err, unless err already contains it. If err is nil, cause
// returns nil.
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

// isStream reports whether name stands for a stream that is already open, such as /dev/stdout. The
// stream may lead to a regular file. That file belongs to the shell and must not be replaced.
func isStream(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	return name == "/dev/stdout" || name == "/dev/stderr" ||
		strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// writable decides, from the mode of an existing file, how a result is written to it. If through is
// true, the data are written into the existing file, which is not replaced. An error means that
// nothing can be written to the file.
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
