package atomicfile

import (
	"errors"
	"syscall"
)

// IsBusy reports whether an error says that another program has a file open: access denied (5), a
// sharing violation (32) or a lock violation (33). Only Windows has such errors.
func IsBusy(err error) bool {
	var code syscall.Errno
	return errors.As(err, &code) && (code == 5 || code == 32 || code == 33)
}
