//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// hold does nothing: Windows does not remove a file that a process has open.
func hold(*os.File) (release func()) { return func() {} }

// isHeld reports whether a living process may be using a temporary file. This system has no locks,
// so the function recent decides.
func isHeld(path string, recent func(fs.FileInfo) bool) bool { return isRecent(path, recent) }
