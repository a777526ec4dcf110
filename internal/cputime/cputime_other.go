//go:build !unix && !windows

package cputime

import "time"

var start = time.Now()

// Process returns the time since the program started, because this system does not
// report CPU time.
func Process() time.Duration { return time.Since(start) }
