//go:build !windows

package atomicfile

// IsBusy reports whether an error means that another program has a file open. On this system the
// result is always false, because such errors do not occur; see busy_windows.go.
func IsBusy(error) bool { return false }

// patiently calls try only once; on Windows it tries again if a file is busy.
func patiently(try func() error) error { return try() }
