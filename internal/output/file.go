// Package output writes results to the places that users name on a command line or at a prompt. It
// never destroys existing data there without the user's permission. The effect depends on what is
// at the place:
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

// Policy decides where a result may be written, and whether it may replace an existing file. The
// zero Policy allows every place, but never replaces a file.
type Policy struct {
	Refuse func(path string) error // returns an error for a place that must not be written; nil allows all places

	Force bool // replace existing files without asking

	// Ask asks the user a yes-or-no question. It is nil if there is no user to ask.
	Ask func(question string) (yes bool, err error)
}

// refuses returns an error if the policy does not allow writing to the place called name.
func (p Policy) refuses(name string) error {
	if p.Refuse == nil {
		return nil
	}
	return p.Refuse(name)
}

// allow asks the user whether to replace the existing file or folder called name. If the answer is
// no, it returns an error.
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

// A File is a place to which a result can be written as a file. Open checks the place and returns
// the File.
type File struct {
	Name string // name of the place, as the user wrote it

	path    string // the same place with symbolic links resolved
	through bool   // the place is a device or a pipe: write to it, do not replace it
	exists  bool   // the place is a regular file that may be replaced
}

// Open checks that the file called name can be written, and that p allows it. It does not change
// anything. Call Open before the work that produces the result, because that may take hours, and
// call Write afterwards.
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
	} else if !errors.Is(err, fs.ErrNotExist) { // a link to a file that does not exist also has this error
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

// Try tests whether a file could be written at path, and returns an error if not. To find out, it
// creates a temporary file in the same folder and removes it. It also removes temporary files left
// there by killed processes.
func Try(path string) error { return cause(path, try(path)) }

func try(path string) error {
	recent := func(f fs.FileInfo) bool { return time.Since(f.ModTime()) < 24*time.Hour }
	_ = atomicfile.Clean(filepath.Dir(path), recent) // ignore errors, because this is only housekeeping
	f, release, err := atomicfile.CreateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer release()
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write calls write to write the result. If it returns an error, a regular file is unchanged. If a
// pipe or a device accepts no more data, Write returns when ctx is cancelled, but write may
// continue to run in its own goroutine.
func (f *File) Write(ctx context.Context, write func(w io.Writer) error) error {
	return f.write(ctx, atomicfile.WriteFile, write)
}

// WriteText is like Write, for a result that is a string.
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
		go func() { done <- f.writeThrough(write) }() // in a goroutine, because opening a pipe waits for a reader, which may never come
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

// cause adds the file's name to err, unless err already contains it. If err is nil, cause returns
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

// isStream reports whether name stands for a stream that is already open, such as /dev/stdout. The
// stream may be connected to a regular file, but the shell has opened that file, so it must not be
// replaced.
func isStream(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	return name == "/dev/stdout" || name == "/dev/stderr" ||
		strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// writable decides by the mode of an existing file how a result is written. If through is true, the
// data are written to the file, as for a device; if not, the file is replaced. An error means that
// neither is possible.
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
