//go:build !unix

package cluster

import "math"

// openFiles is the number of files and connections that this process may have open.
func openFiles() int { return math.MaxInt32 }
