// Package timing has the ways in which a goroutine waits: for a time ([Sleep]), for another goroutine
// ([Signal]), and before it tries again to reach something that does not answer ([Pause]).
package timing

import (
	"context"
	"math/rand/v2"
	"time"
)

// LongestPause is the longest pause between two attempts to reach a hub or a server.
const LongestPause = 15 * time.Second

// Pause returns how long to wait before attempt n (1, 2, …) to reach a hub or a server. The pause
// starts at one second and doubles up to LongestPause, so that workers that wait for days cause
// little load. A random part of up to a quarter is subtracted, so that workers that lost the hub at
// the same moment do not all retry at the same moment.
func Pause(n int) time.Duration {
	pause := min(time.Second<<min(n-1, 10), LongestPause)
	return pause - rand.N(pause/4)
}

// Sleep waits for a time, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) { Signal(nil).Wait(ctx, d) }

// A Signal wakes up a goroutine. If no goroutine waits, the Signal remembers one call of Give for
// the next goroutine that waits.
type Signal chan struct{}

// NewSignal returns a Signal that nobody has given.
func NewSignal() Signal { return make(Signal, 1) }

// Give wakes up the goroutine that waits for the signal. If none waits, the next one does not need
// to wait. On a nil Signal, Give does nothing.
func (s Signal) Give() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// Wait waits for the signal, but at most for a time, and only until ctx ends. It reports whether the
// signal was given. A nil Signal is never given.
func (s Signal) Wait(ctx context.Context, d time.Duration) (given bool) {
	select {
	case <-ctx.Done():
	case <-s:
		return true
	case <-time.After(d):
	}
	return false
}
