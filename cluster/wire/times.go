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

// Times sets how long hub and workers wait for each other and for a NATS server.
type Times struct {
	Request time.Duration // how long to wait for an answer before a request is repeated
	Outage  time.Duration // how long to wait for a NATS server that is down, for example during a failover
	Gone    time.Duration // how long a worker waits for a silent hub with Welcome.Once before it assumes that the hub has ended
}

// Usual holds the default times.
var Usual = Times{Request: 5 * time.Second, Outage: 10 * time.Minute, Gone: 15 * time.Second}

// OrUsual returns the times, with zero fields replaced by the fields of Usual.
func (t Times) OrUsual() Times {
	return Times{cmp.Or(t.Request, Usual.Request), cmp.Or(t.Outage, Usual.Outage), cmp.Or(t.Gone, Usual.Gone)}
}

// LongestPause is the longest pause between two attempts to reach a hub or a server.
const LongestPause = 15 * time.Second

// Pause returns how long to wait before attempt n, counted from 1, to reach a hub or a server. The
// pause starts at one second and doubles up to LongestPause, so that workers that wait for days
// cause little load. Each pause is shortened by a random part of up to a quarter, so that workers
// that lost the hub together do not come back together.
func Pause(n int) time.Duration {
	pause := min(time.Second<<min(n-1, 10), LongestPause)
	return pause - rand.N(pause/4)
}

// Sleep waits for a time, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// A Signal wakes up a goroutine. It is a channel with room for one value, so it remembers one call
// of Give.
type Signal chan struct{}

// Give wakes up the goroutine that waits for the signal, or the next one that waits for it.
func (s Signal) Give() {
	select {
	case s <- struct{}{}:
	default:
	}
}
