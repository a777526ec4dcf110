package memory

import "golang.org/x/sys/unix"

// machine returns the memory of the machine.
func machine() Size {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return Size(n)
}
