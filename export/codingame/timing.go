//go:build !js

package codingame

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"dojo.example/engine"
)

// timing is what one round of answers measured.
type timing struct {
	answers int
	slowest time.Duration
	spent   time.Duration // the most processor time of an answer; 0 where the system does not tell
}

const (
	rounds = 6                     // the largest number of rounds: a slow answer may be due to other work on this machine
	rest   = 2 * time.Second       // before another round, so that such work may end
	digits = 10 * time.Microsecond // to which times are told
)

// time measures rounds until one keeps the deadline, the referee's time for a turn, and notes the one with the fastest slowest
// answer. If none keeps it, it is an error that the program computed for longer; else the
// machine was busy, and Unjudged says so.
func (r *Report) time(ctx context.Context, deadline time.Duration, measure func() (timing, error)) error {
	for i := range rounds {
		if i > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(rest):
			}
		}
		t, err := measure()
		if err != nil {
			return err
		}
		if i == 0 || t.slowest < r.Slowest {
			r.Timed, r.Slowest, r.Spent = t.answers, t.slowest, t.spent
		}
		if r.Slowest < deadline {
			return nil
		}
	}
	late := fmt.Sprintf("in each of %d rounds an answer took longer than %v, in the best %v and at most %v of processor time",
		rounds, deadline, r.Slowest.Round(digits), r.Spent.Round(digits))
	if r.Spent >= deadline {
		return fmt.Errorf("%s: it is the program that is too slow here", late)
	}
	r.Unjudged = late + ": this machine is busy, try again when it is not"
	return nil
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
// actions.
func (g Game) timed(ctx context.Context, program string, answers int) (t timing, err error) {
	for seed := uint64(0); t.answers < answers && err == nil; seed++ {
		began, before := false, time.Duration(0) // spent
		err = g.play(ctx, program, nil, seed, func(bot *conversation, p engine.Position, question string) (engine.Action, error) {
			answer, took, err := bot.ask(question)
			if err != nil {
				return 0, err
			}
			now := spent(bot.cmd.Process.Pid)
			if began { // the first turn has a second, in which the program starts
				t.slowest, t.spent = max(t.slowest, took), max(t.spent, now-before)
				t.answers++
			}
			began, before = true, now
			return g.heard(p, answer)
		}, randomly)
	}
	return t, err
}
