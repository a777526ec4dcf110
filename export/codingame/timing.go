package codingame

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// deadline is CodinGame's time for a turn.
const deadline = 50 * time.Millisecond

// timing is what one round of answers measured.
type timing struct {
	answers int
	slowest time.Duration
	spent   time.Duration // the most processor time of an answer; 0 where the system does not tell
	pause   time.Duration // the longest that a loop beside the program was kept waiting
}

// A BusyError says that answers were late while the machine was busy with other work, so that
// nobody knows whether the program is too slow.
type BusyError struct{ error }

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
	late := fmt.Sprintf("in each of %d rounds an answer took longer than %v, in the best %v", rounds, deadline, best.slowest.Round(digits))
	if best.spent > 0 {
		late += fmt.Sprintf(" and at most %v of processor time", best.spent.Round(digits))
	}
	late += fmt.Sprintf("; a loop alone was paused for %v", best.pause.Round(digits))
	if best.pause >= busy && best.spent < deadline {
		return best, BusyError{fmt.Errorf("%s meanwhile: this machine is busy, try again when it is not", late)}
	}
	return best, fmt.Errorf("%s at most: it is the program that is too slow here", late)
}

// spent returns the processor time that a process has used, 0 where the system does not tell.
func spent(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid)) // Linux: nanoseconds on a core, and two more numbers
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseInt(first, 10, 64)
	return time.Duration(n)
}

// timed measures one round of at least the given number of answers, in games against random
// actions, while loops keep the other cores busy.
func (g Game) timed(ctx context.Context, program string, answers int) (t timing, err error) {
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
	for seed := uint64(0); t.answers < answers; seed++ {
		first, before := true, time.Duration(0)
		err := g.against(ctx, program, nil, seed, func(took time.Duration, bot *conversation) {
			now := spent(bot.cmd.Process.Pid)
			if !first { // the first turn has a second, in which the program starts
				t.slowest, t.spent = max(t.slowest, took), max(t.spent, now-before)
				t.answers++
			}
			first, before = false, now
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
