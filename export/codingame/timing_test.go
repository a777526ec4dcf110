package codingame

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// The report shows the best round. Measuring stops after the first round that meets the deadline.
// If every round has a late answer, there are two cases: the report says that the machine was busy,
// or there is an error because the program is too slow.
func TestTime(t *testing.T) {
	slow, quick := timing{100, 60 * ms, 40 * ms}, timing{100, 45 * ms, 40 * ms}
	for name, c := range map[string]struct {
		rounds   []timing // results of the rounds; the last one repeats
		asked    int
		best     timing
		err      string
		unjudged string
	}{
		"in time":          {[]timing{quick}, 1, quick, "", ""},
		"at the third try": {[]timing{slow, slow, quick}, 3, quick, "", ""},
		"busy":             {[]timing{{100, 70 * ms, 41 * ms}, {100, 52 * ms, 42 * ms}, slow}, rounds, timing{100, 52 * ms, 42 * ms}, "", "the slowest answer took 52ms, and no answer used more than 42ms of processor time"},
		"too slow":         {[]timing{{100, 90 * ms, 60 * ms}}, rounds, timing{100, 90 * ms, 60 * ms}, "too slow", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, r := 0, Report{}
				err := r.time(t.Context(), 50*ms, func() (timing, error) {
					asked++
					return c.rounds[min(asked, len(c.rounds))-1], nil
				})
				if best := (timing{r.Timed, r.Slowest, r.Spent}); asked != c.asked || best != c.best {
					t.Errorf("after %d rounds %+v; want %d and %+v", asked, best, c.asked, c.best)
				}
				if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				if (r.Unjudged != "") != (c.unjudged != "") || !strings.Contains(r.Unjudged, c.unjudged) {
					t.Errorf("unjudged because %q, want %q", r.Unjudged, c.unjudged)
				}
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := new(Report).time(ctx, 50*ms, func() (timing, error) { return slow, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted between rounds: %v", err)
	}
}

// A round measures all turns of a game except the first one.
func TestTimed(t *testing.T) {
	program := compile(t, Go, small(t))
	seen, err := games["onitama"].timed(t.Context(), program, 3)
	if err != nil || seen.answers < 3 || seen.slowest <= 0 {
		t.Errorf("a round: %+v, %v", seen, err)
	}
}

// If the answers of a bot could not be timed, the first line of its source says so, unless the
// source would then be too long.
func TestWarn(t *testing.T) {
	r := Report{Slowest: 60 * ms, Spent: 42 * ms}
	if got := r.Warn("int main"); got != "int main" {
		t.Errorf("a bot that was timed becomes %q", got)
	}
	r.Unjudged = "busy"
	if got := r.Warn("int main"); !strings.HasPrefix(got, "// TIMING NOT VERIFIED: ") || !strings.Contains(got, "60ms, with at most 42ms of") || !strings.HasSuffix(got, "\nint main") {
		t.Errorf("a bot that was not timed becomes %q", got)
	}
	if long := strings.Repeat("x", Limit-10); r.Warn(long) != long {
		t.Error("the line makes a source too long")
	}
}
