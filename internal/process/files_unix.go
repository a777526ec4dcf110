//go:build unix

package process

import (
	"math"
	"syscall"
)

// OpenFiles returns the number of files and connections that this process may have open.
func OpenFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
