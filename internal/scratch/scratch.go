// Package scratch creates folders for temporary files. A killed process cannot remove its folder.
// The next process that creates a folder removes it, because nobody holds the folder's lock any
// more.
//
//	$TMPDIR/dojo-verify-123456/.lock   locked by the living process
package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	prefix = "dojo-"
	lock   = ".lock"
)

// abandoned is the age at which a folder whose lock does not work is removed. Either its process
// was killed before it could lock the folder, or the file system has no locks.
const abandoned = 24 * time.Hour

// Folder creates a folder in the system's folder for temporary files. Its name contains purpose,
// such as "verify". remove deletes the folder and everything in it.
func Folder(purpose string) (dir string, remove func() error, err error) {
	clean(os.TempDir())
	dir, err = os.MkdirTemp("", prefix+purpose+"-*")
	if err != nil {
		return "", nil, err
	}
	held := flock.New(filepath.Join(dir, lock))
	_, err = held.TryLock() // if there are no locks, later processes keep the folder until it is abandoned
	if err != nil {
		_ = held.Close()
	}
	return dir, func() error { return errors.Join(held.Close(), os.RemoveAll(dir)) }, nil
}

// clean removes the folders of killed processes. It skips folders that it cannot remove, because
// they may belong to another user.
func clean(temporary string) {
	all, err := filepath.Glob(filepath.Join(temporary, prefix+"*-*"))
	if err != nil {
		return // cannot happen: the only possible error is a bad pattern
	}
	for _, dir := range all {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || strings.HasPrefix(filepath.Base(dir), ".") {
			continue
		}
		held := flock.New(filepath.Join(dir, lock), flock.SetFlag(os.O_RDWR)) // without O_CREATE, so that TryLock creates no file
		free, err := held.TryLock()
		_ = held.Close()
		if free || err != nil && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(dir)
		}
	}
}
