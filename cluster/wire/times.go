package wire

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"dojo.example/data/rundir"
)

// HeartbeatInterval is the time between two heartbeats of a worker.
const HeartbeatInterval = rundir.AwayAfter / 5

// Times is how long things may take.
type Times struct {
	Request time.Duration // until a request is answered, or made again
	Outage  time.Duration // until a NATS server is there that somebody cannot go on without, after a failover for example
	Gone    time.Duration // until a hub with Welcome.Once that does not answer is taken to be gone for good
}

// Usual are the times for which a program gives no others.
var Usual = Times{Request: 5 * time.Second, Outage: 10 * time.Minute, Gone: 15 * time.Second}

// OrUsual returns the times, with those of Usual for the ones that are zero.
func (t Times) OrUsual() Times {
	return Times{cmp.Or(t.Request, Usual.Request), cmp.Or(t.Outage, Usual.Outage), cmp.Or(t.Gone, Usual.Gone)}
}

// Pauses between attempts to reach a hub or a server.
const (
	firstPause   = time.Second
	LongestPause = 15 * time.Second
)

// Pause returns how long to wait before attempt n, from 1, to reach a hub or a server: a second, then twice
// the time before, and at most LongestPause, so that workers that wait for days are no load. Each is a random
// part of up to a quarter shorter, so that workers that lost the hub together do not come back together.
func Pause(n int) time.Duration {
	pause := min(firstPause<<min(n-1, 10), LongestPause)
	return pause - rand.N(pause/4)
}

// Sleep waits for a time, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// A Signal wakes somebody up. It is a channel with room for one value, and so remembers one call of Give.
type Signal chan struct{}

// Give wakes up who waits for the signal, or who waits for it next.
func (s Signal) Give() {
	select {
	case s <- struct{}{}:
	default:
	}
}
