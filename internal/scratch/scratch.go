// Package scratch creates temporary folders that are removed even if their process is killed. While
// a process runs, it holds a lock in its folder. The next process that creates a folder removes all
// folders whose locks nobody holds.
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
// its process was killed before it could lock the folder, or if the file system does not support
// locks.
const abandoned = 24 * time.Hour

// Folder creates a folder in the system's folder for temporary files. Its name contains purpose,
// for example "verify". remove deletes the folder and everything in it.
func Folder(purpose string) (dir string, remove func() error, err error) {
	clean(os.TempDir())
	dir, err = os.MkdirTemp("", prefix+purpose+"-*")
	if err != nil {
		return "", nil, err
	}
	held := flock.New(filepath.Join(dir, lock))
	_, err = held.TryLock() // if this fails, the file system has no locks, and other processes remove the folder only when it is older than abandoned
	if err != nil {
		_ = held.Close()
	}
	return dir, func() error { return errors.Join(held.Close(), os.RemoveAll(dir)) }, nil
}

// clean removes the folders of killed processes. It ignores errors, because a folder may belong to
// another user.
func clean(temporary string) {
	all, err := filepath.Glob(filepath.Join(temporary, prefix+"*-*"))
	if err != nil {
		return // unreachable, because only a bad pattern causes an error
	}
	for _, dir := range all {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || strings.HasPrefix(filepath.Base(dir), ".") {
			continue
		}
		held := flock.New(filepath.Join(dir, lock), flock.SetFlag(os.O_RDWR)) // without O_CREATE, TryLock does not create the file
		free, err := held.TryLock()
		_ = held.Close()
		if free || err != nil && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(dir)
		}
	}
}
