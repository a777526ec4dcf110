// Package scratch creates folders for temporary files. A process keeps a lock in its folder as long
// as it lives. A killed process cannot remove its folder, but the next process that creates a
// folder sees that nobody holds the lock, and removes the folder.
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

// abandoned is the age at which a folder without a working lock is removed. Such a folder exists if
// a process was killed before it could lock its folder, or if the file system has no locks.
const abandoned = 24 * time.Hour

// Folder creates a folder in the system's folder for temporary files. The name of the new folder
// contains purpose, such as "verify". The function remove deletes the folder and everything in it.
func Folder(purpose string) (dir string, remove func() error, err error) {
	clean(os.TempDir())
	dir, err = os.MkdirTemp("", prefix+purpose+"-*")
	if err != nil {
		return "", nil, err
	}
	held := flock.New(filepath.Join(dir, lock))
	_, err = held.TryLock() // if this fails, the file system has no locks, and other processes remove the folder only when its age is abandoned
	if err != nil {
		_ = held.Close()
	}
	return dir, func() error { return errors.Join(held.Close(), os.RemoveAll(dir)) }, nil
}

// clean removes the folders of killed processes. If it cannot remove a folder, it ignores the
// error, because the folder may belong to another user.
func clean(temporary string) {
	all, err := filepath.Glob(filepath.Join(temporary, prefix+"*-*"))
	if err != nil {
		return // cannot happen, because only a bad pattern causes an error
	}
	for _, dir := range all {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || strings.HasPrefix(filepath.Base(dir), ".") {
			continue
		}
		held := flock.New(filepath.Join(dir, lock), flock.SetFlag(os.O_RDWR)) // the flags do not contain O_CREATE, so TryLock creates no file
		free, err := held.TryLock()
		_ = held.Close()
		if free || err != nil && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(dir)
		}
	}
}
