package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CreateTemp creates a temporary file in dir and locks it for this process, so that [Clean] keeps
// it. The caller calls release, which gives up the lock, after it has renamed or removed the file.
func CreateTemp(dir string) (f *os.File, release func(), err error) {
	return held(func() (*os.File, error) { return os.CreateTemp(dir, Temporary) })
}

// MakeTemp creates and locks a temporary folder in dir, like CreateTemp. remove deletes the folder
// and everything in it.
func MakeTemp(dir string) (path string, remove func(), err error) {
	f, release, err := held(func() (f *os.File, err error) {
		for path, err = os.MkdirTemp(dir, Temporary); err == nil; path, err = os.MkdirTemp(dir, Temporary) {
			if f, err = os.Open(path); !errors.Is(err, fs.ErrNotExist) { // if it does not exist, another process has just cleaned it away: try again
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
		_ = os.RemoveAll(path) // Clean will remove what cannot be removed now
		release()
	}, nil
}

// held creates a temporary file and locks it.
func held(make func() (*os.File, error)) (f *os.File, release func(), err error) {
	for {
		if f, err = make(); err != nil {
			return nil, nil, err
		}
		if release = hold(f); isStill(f) {
			return f, release, nil
		}
		release() // another process cleaned the file away before it was locked
		_ = f.Close()
	}
}

// isStill reports whether the file at the path of f is still the open file f.
func isStill(f *os.File) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(filepath.Clean(f.Name()))
	return err == nil && os.SameFile(held, now)
}

// isRecent reports whether a temporary file may be in use, judged by recent because locks do not
// work. It is also true if the file no longer exists, because there is nothing to remove.
func isRecent(path string, recent func(fs.FileInfo) bool) bool {
	info, err := os.Lstat(path)
	return err != nil || recent(info)
}
