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

// Times holds timeouts: how long the hub and its workers wait for each other and for a NATS server.
type Times struct {
	Request time.Duration // how long to wait for an answer before repeating a request
	Survey  time.Duration // how long to wait for the answer of another hub; the times between two surveys are multiples of it
	Outage  time.Duration // how long to wait for a NATS server that is down, for example during a failover
	// Gone applies to hubs with Welcome.Once, which no later hub replaces. If the hub is silent for
	// this time, a worker assumes that the hub has exited.
	Gone time.Duration
}

// Usual holds the default times.
var Usual = Times{Request: 5 * time.Second, Survey: 200 * time.Millisecond, Outage: 10 * time.Minute, Gone: 15 * time.Second}

// OrUsual returns a copy of t in which zero fields are replaced by the fields of Usual.
func (t Times) OrUsual() Times {
	return Times{cmp.Or(t.Request, Usual.Request), cmp.Or(t.Survey, Usual.Survey), cmp.Or(t.Outage, Usual.Outage), cmp.Or(t.Gone, Usual.Gone)}
}

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
func Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// A Signal wakes up a goroutine. If no goroutine waits, the Signal remembers one call of Give for
// the next goroutine that waits.
type Signal chan struct{}

// Give wakes up the goroutine that waits for the signal. If none waits, the next one does not need
// to wait.
func (s Signal) Give() {
	select {
	case s <- struct{}{}:
	default:
	}
}
