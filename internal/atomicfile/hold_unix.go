//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// hold locks an open file or folder until release is called or the process dies. The lock outlasts
// f.Close. Without locks in the file system it does nothing.
func hold(f *os.File) (release func()) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	_ = syscall.Flock(fd, syscall.LOCK_EX) // see isHeld for file systems without locks
	return func() { _ = syscall.Close(fd) }
}

// isHeld reports whether a living process may hold a temporary.
func isHeld(path string, recent func(fs.FileInfo) bool) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // it is gone, or another user's
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
