package cputime

import (
	"syscall"
	"time"
)

// Process returns the CPU time that this process has used.
func Process() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		panic(err) // unreachable, because a process always has a handle to itself
	}
	var created, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &ended, &kernel, &user); err != nil {
		panic(err)
	}
	return duration(kernel) + duration(user)
}

// duration converts a CPU time that Windows gives in units of 100 ns.
func duration(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
