//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Process returns the CPU time that this process has used.
func Process() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // unreachable, because the call fails only for invalid arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
