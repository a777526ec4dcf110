//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// hold does nothing, because Windows does not remove a file that a process has open.
func hold(*os.File) (release func()) { return func() {} }

// isHeld reports whether a running process may be using a temporary file. There are no locks on
// this system, so the function recent decides.
func isHeld(path string, recent func(fs.FileInfo) bool) bool { return isRecent(path, recent) }
