//go:build !unix && !windows

package cputime

import "time"

var start = time.Now()

// Process returns the time since the program started, where the system does not say
// how much CPU time a process has used.
func Process() time.Duration { return time.Since(start) }
