package memory

import "golang.org/x/sys/unix"

// machine returns the size of the machine's memory, or 0 if it is unknown.
func machine() Size {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return Size(n)
}
