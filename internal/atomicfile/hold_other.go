//go:build !unix

package atomicfile

import "os"

// hold does nothing: Windows does not remove a file that a process has open.
func hold(*os.File) (release func()) { return func() {} }

// isAbandoned reports whether no living process may hold a temporary.
func isAbandoned(path string) bool { return isOld(path) }
