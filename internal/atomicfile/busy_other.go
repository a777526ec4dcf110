//go:build !windows

package atomicfile

// IsBusy reports whether an error means that another program has a file open. On this system there
// are no such errors; see busy_windows.go.
func IsBusy(error) bool { return false }

// patiently calls try once; on Windows it tries again.
func patiently(try func() error) error { return try() }
