package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CreateTemp creates a temporary file in dir and locks it, so that [Clean] does not remove it while
// this process runs. The caller must call release, which releases the lock, after it has renamed or
// removed the file.
func CreateTemp(dir string) (f *os.File, release func(), err error) {
	return held(func() (*os.File, error) { return os.CreateTemp(dir, Temporary) })
}

// MakeTemp creates and locks a temporary folder in dir, like CreateTemp. remove deletes the folder
// and everything in it.
func MakeTemp(dir string) (path string, remove func(), err error) {
	f, release, err := held(func() (f *os.File, err error) {
		for path, err = os.MkdirTemp(dir, Temporary); err == nil; path, err = os.MkdirTemp(dir, Temporary) {
			if f, err = os.Open(path); !errors.Is(err, fs.ErrNotExist) { // if it is gone, another process has just removed it with Clean, so retry
				break
			}
		}
		return f, err
	})
	if err != nil {
		return "", nil, err
	}
	return path, func() {
		_ = f.Close()
		_ = os.RemoveAll(path) // if this fails, a later Clean removes what is left
		release()
	}, nil
}

// held calls make to create a temporary file or folder, and locks it.
func held(make func() (*os.File, error)) (f *os.File, release func(), err error) {
	for {
		if f, err = make(); err != nil {
			return nil, nil, err
		}
		if release = hold(f); isStill(f) {
			return f, release, nil
		}
		release() // another process removed the file with Clean before this one could lock it
		_ = f.Close()
	}
}

// isStill reports whether the path of f still refers to the open file f.
func isStill(f *os.File) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(filepath.Clean(f.Name()))
	return err == nil && os.SameFile(held, now)
}

// isRecent reports whether a temporary file may be in use, for systems where locks do not work. It
// leaves the decision to the function recent. If the file no longer exists, it returns true,
// because then there is nothing to remove.
func isRecent(path string, recent func(fs.FileInfo) bool) bool {
	info, err := os.Lstat(path)
	return err != nil || recent(info)
}
