package codingame

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// deadline is CodinGame's time for a turn.
const deadline = 50 * time.Millisecond

// timing is what one round of answers measured.
type timing struct {
	answers int
	slowest time.Duration
	pause   time.Duration // the longest that a loop beside the program was kept waiting
}

const (
	rounds = 6                     // the largest number of rounds: a slow answer may be due to other work on this machine
	rest   = 2 * time.Second       // before another round, so that such work may end
	busy   = 4 * time.Millisecond  // a pause that long says that the machine is busy
	digits = 10 * time.Microsecond // to which times are told
)

// inTime measures rounds until one keeps the deadline, and returns the round with the
// fastest slowest answer. If none keeps it, the error says how slow that answer was,
// and whether the machine was busy.
func inTime(ctx context.Context, measure func() (timing, error)) (best timing, err error) {
	for i := range rounds {
		if i > 0 {
			select {
			case <-ctx.Done():
				return best, ctx.Err()
			case <-time.After(rest):
			}
		}
		t, err := measure()
		if err != nil {
			return t, err
		}
		if i == 0 || t.slowest < best.slowest {
			best = t
		}
		if best.slowest < deadline {
			return best, nil
		}
	}
	cause := "at most: it is the program that is too slow here"
	if best.pause >= busy {
		cause = "meanwhile: this machine is busy, try again when it is not"
	}
	return best, fmt.Errorf("in each of %d rounds an answer took longer than %v, in the best %v; a loop alone was paused for %v %s",
		rounds, deadline, best.slowest.Round(digits), best.pause.Round(digits), cause)
}

// timed measures one round: up to 120 answers to the first player's turns in the
// transcripts, while loops keep the other cores busy.
func timed(ctx context.Context, program string, games []transcript) (t timing, err error) {
	const limit = 120
	ctx, cancel := context.WithCancel(ctx)
	pause := make(chan time.Duration, 1)
	go func() { pause <- longestPause(ctx) }()
	for range runtime.NumCPU() - 2 { // a core each for the loop above and the program
		go func() {
			for ctx.Err() == nil {
			}
		}()
	}
	defer func() {
		cancel()
		t.pause = <-pause
	}()
	for _, g := range games {
		if t.answers == limit {
			break
		}
		err := talk(ctx, program, nil, func(bot *conversation) error {
			for i, in := range g.Turns[0] {
				if t.answers == limit {
					break
				}
				_, took, err := bot.ask(text(in))
				if err != nil {
					return err
				}
				if i > 0 { // the first turn has a second, in which the program starts
					t.slowest = max(t.slowest, took)
					t.answers++
				}
			}
			return nil
		})
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// longestPause reads the clock until ctx ends, and returns the longest time
// between two readings, in which something else had the core.
func longestPause(ctx context.Context) (longest time.Duration) {
	for last := time.Now(); ctx.Err() == nil; {
		now := time.Now()
		longest = max(longest, now.Sub(last))
		last = now
	}
	return longest
}
