//go:build !unix && !windows

package cputime

import "time"

var began = time.Now()

// Process returns the time since the process started, because this system does not report CPU time.
func Process() time.Duration { return time.Since(began) }
