package memory

import (
	"strconv"
	"strings"
	"syscall"
)

// machine returns the size of the machine's memory, or the container's limit if that is smaller. It
// returns 0 if the size is unknown.
func machine() Size {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return 0
	}
	n := Size(uint64(info.Totalram) * uint64(info.Unit))
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} { // the files of cgroup versions 2 and 1
		if most, err := strconv.ParseInt(strings.TrimSpace(beginning(path)), 10, 64); err == nil && most > 0 {
			n = min(n, Size(most))
		}
	}
	return n
}

// beginning returns the first bytes of a file, or "" if the file cannot be read. It uses syscalls
// because this package must not import os: packages that only compute import this package, and os
// is forbidden for them.
func beginning(path string) string {
	f, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer syscall.Close(f)
	var text [64]byte
	n, _ := syscall.Read(f, text[:])
	return string(text[:max(n, 0)])
}
