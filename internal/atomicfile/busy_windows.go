package atomicfile

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// IsBusy reports whether err means that another program has a file open: access denied (5), a
// sharing violation (32) or a lock violation (33). Such errors occur only on Windows.
func IsBusy(err error) bool {
	var code syscall.Errno
	return errors.As(err, &code) && (code == 5 || code == 32 || code == 33)
}

// patience is how long Rename, Open and Remove wait for other programs, in milliseconds.
const patience = 5000

// patiently calls try repeatedly. It stops when try succeeds, when try fails for a reason other
// than a busy file, or when the pauses between calls add up to more than patience. It adds up
// pauses because packages that use atomicfile must not read a clock.
func patiently(try func() error) error {
	for waited, wait := uint32(0), uint32(1); ; waited, wait = waited+wait, min(2*wait, 100) {
		err := try()
		if err == nil || !IsBusy(err) || waited > patience {
			return err
		}
		windows.SleepEx(wait, false)
	}
}
