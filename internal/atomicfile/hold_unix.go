//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// hold locks an open file or folder. The lock is released when release is called or the process
// exits, but not when f is closed. If the file system does not support locks, hold does nothing.
func hold(f *os.File) (release func()) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	_ = syscall.Flock(fd, syscall.LOCK_EX) // an error means that locks do not work; isHeld handles that case
	return func() { _ = syscall.Close(fd) }
}

// isHeld reports whether a running process may be using a temporary file or folder.
func isHeld(path string, recent func(fs.FileInfo) bool) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // the file no longer exists or belongs to another user
	}
	defer f.Close()
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return false
	case errors.Is(err, syscall.EWOULDBLOCK):
		return true
	}
	return isRecent(path, recent)
}
