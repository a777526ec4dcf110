//go:build !unix

package atomicfile

import "os"

// hold gets no lock: nothing tells here whether a temporary is still written.
func hold(*os.File) bool { return false }
