// Package atomicfile replaces files atomically: after a crash, a file has either its complete new
// content or its old content. It writes a temporary file in the same folder, syncs it, renames it
// and syncs the folder. If the process is killed before the rename, the old file is unchanged, and
// the temporary file remains until [Clean] removes it.
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

// WriteFile replaces the content of the file at path. It calls write, which must write the new
// content to w, a buffered writer. If WriteFile returns an error, the file is unchanged. The error
// contains the path and the cause.
func WriteFile(path string, write func(w io.Writer) error) error {
	return writeFile(path, 0o644, write)
}

// WriteExecutable is like WriteFile, but makes the file executable.
func WriteExecutable(path string, write func(w io.Writer) error) error {
	return writeFile(path, 0o755, write)
}

// WriteBytes replaces the content of the file at path with text.
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
		return errors.New("it is a device, a pipe or a socket and must not be replaced by a file")
	}
	f, release, err := CreateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer release()
	whole := false
	defer func() { // in a defer, so that it also runs if write panics
		if !whole {
			_, _ = f.Close(), os.Remove(f.Name()) // ignore these errors, because the first error is more useful
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

// bare removes the name of a temporary file from an error, because the caller adds the name of the
// real file. Errors about other files stay unchanged, for example about files that the function
// write reads.
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

// Temporary is the name pattern of temporary files, in the form that os.CreateTemp expects. Code
// that lists a folder should ignore names that begin with a dot.
const Temporary = prefix + "*"

const prefix = ".tmp-dojo-"

// IsTemporary reports whether name is the name of a temporary file of this package. Such a file
// remains if its writer is killed.
func IsTemporary(name string) bool { return strings.HasPrefix(name, prefix) }

// Clean removes the temporary files that killed writers left in dir. A nil recent means that no
// other process is writing in dir; Clean then removes all temporary files. Otherwise it keeps files
// that a running process has locked (see [CreateTemp]) or, where locks do not work, files for which
// recent returns true.
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
