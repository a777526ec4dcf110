// Package scratch makes folders for temporary files. A process that is killed cannot remove its folder;
// the next one that makes a folder does, because nobody holds its lock any more.
//
//	$TMPDIR/dojo-verify-123456/.lock   held by the living process
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

// abandoned is the age after which a folder without a lock is removed: its process may have been
// killed before it locked it, or the file system may have no locks.
const abandoned = 24 * time.Hour

// Folder makes a folder in the system's folder for temporary files. Its name has purpose in it, such as
// "verify". remove removes it with all that is in it.
func Folder(purpose string) (dir string, remove func() error, err error) {
	clean(os.TempDir())
	dir, err = os.MkdirTemp("", prefix+purpose+"-*")
	if err != nil {
		return "", nil, err
	}
	held := flock.New(filepath.Join(dir, lock))
	_, err = held.TryLock() // without locks, the folder stays until it is abandoned
	if err != nil {
		_ = held.Close()
	}
	return dir, func() error { return errors.Join(held.Close(), os.RemoveAll(dir)) }, nil
}

// clean removes the folders of processes that were killed. What cannot be removed stays: it may be
// another user's.
func clean(temporary string) {
	all, err := filepath.Glob(filepath.Join(temporary, prefix+"*-*"))
	if err != nil {
		return // only a bad pattern is an error
	}
	for _, dir := range all {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || strings.HasPrefix(filepath.Base(dir), ".") {
			continue
		}
		held := flock.New(filepath.Join(dir, lock), flock.SetFlag(os.O_RDWR)) // which makes no file
		free, err := held.TryLock()
		_ = held.Close()
		if free || err != nil && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(dir)
		}
	}
}
