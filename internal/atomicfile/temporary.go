package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CreateTemp makes a temporary in dir and locks it for this process, so that [Clean] leaves it alone. release
// gives up the lock. The caller calls it after it has renamed or removed the file.
func CreateTemp(dir string) (f *os.File, release func(), err error) {
	return held(func() (*os.File, error) { return os.CreateTemp(dir, Temporary) })
}

// MakeTemp is CreateTemp for a folder. remove removes it with all that is in it.
func MakeTemp(dir string) (path string, remove func(), err error) {
	f, release, err := held(func() (f *os.File, err error) {
		for path, err = os.MkdirTemp(dir, Temporary); err == nil; path, err = os.MkdirTemp(dir, Temporary) {
			if f, err = os.Open(path); !errors.Is(err, fs.ErrNotExist) { // else somebody has cleaned the folder
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
		_ = os.RemoveAll(path) // what cannot be removed is cleaned later
		release()
	}, nil
}

// held makes a temporary and locks it.
func held(make func() (*os.File, error)) (f *os.File, release func(), err error) {
	for {
		if f, err = make(); err != nil {
			return nil, nil, err
		}
		if release = hold(f); isStill(f) {
			return f, release, nil
		}
		release() // somebody cleaned the folder before the file was locked
		_ = f.Close()
	}
}

// isStill reports whether an open file is still the one at its path.
func isStill(f *os.File) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(filepath.Clean(f.Name()))
	return err == nil && os.SameFile(held, now)
}

// isRecent reports whether a temporary may be in use where locks tell nothing. One that is gone needs no
// removal.
func isRecent(path string, recent func(fs.FileInfo) bool) bool {
	info, err := os.Lstat(path)
	return err != nil || recent(info)
}
