package cluster

import (
	"context"
	"math/rand/v2"
	"time"
)

// Pauses between a worker's attempts to reach its hub.
const (
	firstRetry   = time.Second
	longestRetry = 15 * time.Second
)

// A backoff makes the pauses between attempts longer and longer, so that many workers that wait
// for a hub for days are no load.
type backoff struct {
	pause time.Duration // before the last attempt; zero before the first
}

// next returns the pause before the next attempt: a second, then twice the one before, and at
// most longestRetry. Each is a random part of up to a quarter shorter, so that workers that lost
// the hub at the same time do not all come back at the same time.
func (b *backoff) next() time.Duration {
	b.pause = min(max(2*b.pause, firstRetry), longestRetry)
	return b.pause - rand.N(b.pause/4)
}

// wait waits for the next pause, but no longer than limit, or until ctx ends.
func (b *backoff) wait(ctx context.Context, limit time.Duration) { sleep(ctx, min(b.next(), limit)) }
