//go:build unix

package atomicfile

import (
	"os"
	"syscall"
)

// hold locks a temporary for as long as f is open, and reports whether it got the lock.
func hold(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
