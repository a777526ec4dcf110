// Package atomicfile makes files appear whole or not at all: a temporary in
// the same folder, fsync, rename, fsync of the folder. A process that is killed
// half way leaves the old file as it was and a temporary, which [Clean] or
// [CleanStale] removes.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile makes the file at path hold what write writes to its buffered w.
// On an error the file is what it was, and the error names path and cause.
func WriteFile(path string, write func(w io.Writer) error) error {
	if err := writeFile(path, 0o644, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// Try reports why the file at path could not be written: it makes a temporary beside it
// and removes it again, together with the temporaries that killed writers left there.
func Try(path string) error {
	CleanStale(filepath.Dir(path))
	f, err := createTemporary(filepath.Dir(path))
	if err != nil {
		return bare(err, "")
	}
	return bare(errors.Join(f.Close(), os.Remove(f.Name())), f.Name())
}

// WriteExecutable is WriteFile for a program.
func WriteExecutable(path string, write func(w io.Writer) error) error {
	if err := writeFile(path, 0o755, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// WriteBytes makes the file at path hold text.
func WriteBytes(path string, text []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func writeFile(path string, mode fs.FileMode, write func(w io.Writer) error) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return errors.New("it is a device, a pipe or a socket, which a file must not replace")
	}
	f, err := createTemporary(filepath.Dir(path))
	if err != nil {
		return bare(err, "")
	}
	if err := fill(f, mode, write); err != nil {
		return bare(err, f.Name())
	}
	if err := os.Rename(f.Name(), path); err != nil {
		_ = os.Remove(f.Name()) // the rename says what is wrong
		return bare(err, f.Name())
	}
	return syncFolder(filepath.Dir(path))
}

// fill writes, syncs and closes the temporary f, or removes it: also when
// write panics.
func fill(f *os.File, mode fs.FileMode, write func(w io.Writer) error) error {
	whole := false
	defer func() {
		if !whole {
			_, _ = f.Close(), os.Remove(f.Name()) // what went wrong before says more
		}
	}()
	buffer := bufio.NewWriterSize(f, 1<<16)
	if err := write(buffer); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	if runtime.GOOS != "windows" { // where a file has no mode
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	whole = true
	return nil
}

// bare takes the temporary's name out of an error, as the caller adds the
// file's own. Errors about other files, which write may have read, stay.
func bare(err error, temporary string) error {
	switch e := err.(type) {
	case *fs.PathError:
		if temporary == "" || e.Path == temporary {
			return e.Err
		}
	case *os.LinkError:
		if e.Old == temporary {
			return e.Err
		}
	}
	return err
}

// syncFolder makes a rename last. Windows cannot sync a folder.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
