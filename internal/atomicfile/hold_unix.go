//go:build unix

package atomicfile

import (
	"errors"
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
	_ = syscall.Flock(fd, syscall.LOCK_EX) // see isAbandoned for file systems without locks
	return func() { _ = syscall.Close(fd) }
}

// isAbandoned reports whether no living process holds a temporary.
func isAbandoned(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // it is gone, or another user's
	}
	defer f.Close()
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return true
	case errors.Is(err, syscall.EWOULDBLOCK):
		return false
	}
	return isOld(path)
}
