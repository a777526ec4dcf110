//go:build unix

package hub_test

import (
	"os/signal"
	"syscall"
)

// fillDisk makes all writes to files fail in this process, as on a full disk, or makes them succeed
// again. It reports whether it can do that.
func fillDisk(full bool) bool {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit) != nil {
		return false
	}
	if limit.Cur = limit.Max; full {
		limit.Cur = 0
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) == nil
}
