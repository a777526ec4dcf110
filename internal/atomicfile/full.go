package atomicfile

import (
	"errors"
	"runtime"
	"syscall"
)

// DiskFull reports whether an error is that of a write for which the disk, or what a user may
// fill of it, has no room.
func DiskFull(err error) bool {
	const windowsDiskFull = syscall.Errno(112) // ERROR_DISK_FULL
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || runtime.GOOS == "windows" && errors.Is(err, windowsDiskFull)
}
