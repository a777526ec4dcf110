//go:build !unix

package hub_test

// fillDisk reports that it cannot simulate a full disk on this system.
func fillDisk(bool) bool { return false }
