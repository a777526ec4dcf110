//go:build !windows

package atomicfile

// IsBusy reports whether err means that another program has a file open. On this system it always
// returns false, because such errors do not occur; see busy_windows.go.
func IsBusy(error) bool { return false }

// patiently calls try once. (The Windows version retries if a file is busy.)
func patiently(try func() error) error { return try() }
