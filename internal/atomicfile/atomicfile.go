// Package atomicfile makes files appear whole or not at all: a temporary in
// the same folder, fsync, rename, fsync of the folder. A process that is killed
// half way leaves the old file as it was and a temporary, which [Clean] removes.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile makes the file at path hold what write writes to its buffered w.
// On an error the file is what it was, and the error names path and cause.
func WriteFile(path string, write func(w io.Writer) error) error {
	return writeFile(path, 0o644, write)
}

// WriteExecutable is WriteFile for a program.
func WriteExecutable(path string, write func(w io.Writer) error) error {
	return writeFile(path, 0o755, write)
}

// WriteBytes makes the file at path hold text.
func WriteBytes(path string, text []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func writeFile(path string, mode fs.FileMode, write func(w io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, bare(err))
		}
	}()
	if info, err := os.Lstat(path); err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return errors.New("it is a device, a pipe or a socket, which a file must not replace")
	}
	f, release, err := CreateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer release()
	whole := false
	defer func() { // also when write panics
		if !whole {
			_, _ = f.Close(), os.Remove(f.Name()) // what went wrong before says more
		}
	}()
	buffer := bufio.NewWriterSize(f, 1<<16)
	for _, step := range []func() error{
		func() error { return write(buffer) },
		buffer.Flush,
		func() error { return setMode(f, mode) },
		f.Sync,
		f.Close,
		func() error { return Rename(f.Name(), path) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	whole = true
	return syncFolder(filepath.Dir(path))
}

// bare takes the name of a temporary out of an error, as the caller adds the
// file's own. Errors about other files, which write may have read, stay.
func bare(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		if IsTemporary(filepath.Base(e.Path)) {
			return e.Err
		}
	case *os.LinkError:
		if IsTemporary(filepath.Base(e.Old)) {
			return e.Err
		}
	}
	return err
}

// Temporary is the pattern, as of os.CreateTemp, of the names of temporaries. Readers of a folder
// should ignore what begins with a dot.
const Temporary = prefix + "*"

const prefix = ".tmp-dojo-"

// IsTemporary reports whether a writer that was killed may have left a file of
// this name.
func IsTemporary(name string) bool { return strings.HasPrefix(name, prefix) }

// Clean removes the temporaries in dir that killed writers left. If others may be writing there, those stay that
// a living process has locked (see [CreateTemp]) and, where locks tell nothing, those that are recent; a
// nil recent says that there are no others.
func Clean(dir string, recent func(fs.FileInfo) bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("clean: %w", err)
	}
	for _, e := range entries {
		if !IsTemporary(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if recent != nil && isHeld(path, recent) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("clean: %w", err)
		}
	}
	return nil
}
