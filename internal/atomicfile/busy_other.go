//go:build !windows

package atomicfile

// IsBusy reports whether an error says that another program has a file open: see busy_windows.go.
func IsBusy(error) bool { return false }

// patiently tries something once; see busy_windows.go.
func patiently(try func() error) error { return try() }
