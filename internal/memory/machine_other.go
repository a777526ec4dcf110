//go:build !linux && !darwin

package memory

// machine returns 0, because the size of the machine's memory is unknown.
func machine() Size { return 0 }
