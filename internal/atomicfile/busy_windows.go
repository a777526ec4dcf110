package atomicfile

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// IsBusy reports whether an error means that another program has a file open: access denied (5), a
// sharing violation (32) or a lock violation (33). Only Windows has such errors.
func IsBusy(err error) bool {
	var code syscall.Errno
	return errors.As(err, &code) && (code == 5 || code == 32 || code == 33)
}

// patience is how long Rename and Remove wait for other programs, in milliseconds.
const patience = 5000

// patiently calls try repeatedly. It stops if try succeeds, fails for another reason than a busy
// file, or has failed for longer than patience. It measures this time by counting its pauses,
// because packages that use atomicfile must not read a clock.
func patiently(try func() error) error {
	for waited, wait := uint32(0), uint32(1); ; waited, wait = waited+wait, min(2*wait, 100) {
		err := try()
		if err == nil || !IsBusy(err) || waited > patience {
			return err
		}
		windows.SleepEx(wait, false)
	}
}
