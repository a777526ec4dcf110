package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// prefix begins the name of a temporary. Readers of a folder should ignore
// what begins with a dot. In folders of users [CleanStale] removes only what
// begins with ours.
const (
	prefix = ".tmp-"
	ours   = prefix + "dojo-"
)

// IsTemporary reports whether a writer that was killed may have left a file of
// this name.
func IsTemporary(name string) bool { return strings.HasPrefix(name, prefix) }

// createTemporary makes a file in dir that CleanStale leaves alone while it is open.
func createTemporary(dir string) (*os.File, error) {
	for {
		f, err := os.CreateTemp(dir, ours+"*")
		if err != nil {
			return nil, err
		}
		locks := hold(f)
		if _, err := os.Lstat(f.Name()); !errors.Is(err, fs.ErrNotExist) {
			return f, nil
		}
		f.Close()
		if !locks {
			return nil, &fs.PathError{Op: "create", Path: f.Name(), Err: fs.ErrNotExist}
		}
	} // another process took it for a stale one before it was locked
}

// MkdirTemp makes a folder in dir that CleanStale leaves alone until release is called.
func MkdirTemp(dir string) (path string, release func() error, err error) {
	if path, err = os.MkdirTemp(dir, ours+"*"); err != nil {
		return "", nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	hold(f)
	return path, f.Close, nil
}

// Clean removes the temporaries that killed writers left in dir, in which
// nobody may be writing meanwhile.
func Clean(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("clean: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || e.IsDir() {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clean: %w", err)
		}
	}
	return nil
}

// CleanStale removes the files and folders that killed writers left in dir.
// Others may write there meanwhile: what is being written is locked, and stays.
// It does nothing where files cannot be locked.
func CleanStale(dir string) {
	entries, _ := os.ReadDir(dir) // the caller, who writes there, reports what is wrong with it
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !strings.HasPrefix(e.Name(), ours) || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		if hold(f) {
			_ = os.RemoveAll(path) // best effort: the result that the caller is to write does not depend on it
		}
		f.Close()
	}
}
