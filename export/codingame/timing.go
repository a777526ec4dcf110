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

// timing holds the measurements of one round of answers.
type timing struct {
	answers int           // number of answers
	slowest time.Duration // time of the slowest answer
	spent   time.Duration // longest processor time of an answer; 0 if unknown
}

const (
	rounds = 6                     // maximum number of rounds; other processes may slow some down
	rest   = 2 * time.Second       // pause between rounds, to let other processes finish
	digits = 10 * time.Microsecond // precision of reported times
)

// time measures rounds of answers until every answer of a round meets the deadline, which is the
// referee's time limit for a turn. The report shows the round whose slowest answer is fastest. If
// no round meets the deadline, there are two cases. If an answer used more processor time than the
// deadline allows, the program is too slow and time returns an error. Otherwise the machine was
// busy, and time sets r.Unjudged.
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
	late := fmt.Sprintf("in each of %d rounds an answer took longer than %v; in the best round, the slowest answer took %v, and no answer used more than %v of processor time",
		rounds, deadline, r.Slowest.Round(digits), r.Spent.Round(digits))
	if r.Spent >= deadline {
		return fmt.Errorf("the program is too slow on this machine: %s", late)
	}
	r.Unjudged = late + "; this machine is busy, so try again when it is not"
	return nil
}

// spent returns the processor time that a process has used, or 0 if the system does not report it.
func spent(pid int) time.Duration {
	// On Linux, this file begins with the nanoseconds that the process has run on a core. Two other
	// numbers follow.
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseInt(first, 10, 64)
	return time.Duration(n)
}

// timed measures one round with at least the given number of answers, in games in which the
// opponent plays at random.
func (g Game) timed(ctx context.Context, program string, answers int) (t timing, err error) {
	for seed := uint64(0); t.answers < answers && err == nil; seed++ {
		// before is the bot's processor time at the end of its previous answer.
		began, before := false, time.Duration(0)
		err = g.play(ctx, program, nil, seed, func(bot *conversation, p engine.Position, question string) (engine.Action, error) {
			answer, took, err := bot.ask(question)
			if err != nil {
				return 0, err
			}
			now := spent(bot.cmd.Process.Pid)
			// Do not count the first turn: the bot starts in it, so it has a longer limit.
			if began {
				t.slowest, t.spent = max(t.slowest, took), max(t.spent, now-before)
				t.answers++
			}
			began, before = true, now
			return g.heard(p, answer)
		}, randomly)
	}
	return t, err
}
