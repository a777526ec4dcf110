// Package atomicfile makes files appear whole or not at all: a temporary in
// the same folder, fsync, rename, fsync of the folder. Whoever is killed half
// way leaves a temporary that [Clean] removes, and the old file as it was.
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

// pattern names temporaries. Readers of a folder should ignore what begins
// with a dot.
const pattern = ".tmp-*"

// WriteFile makes the file at path hold what write writes.
func WriteFile(path string, write func(w io.Writer) error) error {
	if err := writeFile(path, 0o644, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
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

func writeFile(path string, mode fs.FileMode, write func(w io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return bare(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
			var all interface{ Unwrap() []error }
			if errors.As(err, &all) {
				err = all.Unwrap()[0] // what follows from the first says nothing new
			}
		}
	}()
	buffer := bufio.NewWriterSize(f, 1<<16)
	if err := write(buffer); err != nil {
		return bare(err)
	}
	if err := buffer.Flush(); err != nil {
		return bare(err)
	}
	if err := f.Chmod(mode); err != nil && runtime.GOOS != "windows" {
		return bare(err)
	}
	if err := f.Sync(); err != nil {
		return bare(err)
	}
	if err := f.Close(); err != nil {
		return bare(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return bare(err)
	}
	return syncFolder(filepath.Dir(path))
}

// bare takes the temporary's name out of an error: the caller knows path.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
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
	return errors.Join(d.Sync(), d.Close())
}

// Clean removes the temporaries that killed writers left in dir.
func Clean(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
