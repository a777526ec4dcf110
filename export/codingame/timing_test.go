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

// The best of some rounds counts, the first that keeps the deadline is the
// last, and the error tells a busy machine from a slow program.
func TestInTime(t *testing.T) {
	slow, quick := timing{100, 60 * ms, 40 * ms, 12 * ms}, timing{100, 45 * ms, 40 * ms, 3 * ms}
	for name, c := range map[string]struct {
		rounds []timing // the last of them again and again
		says   []string
		asked  int
		best   timing
	}{
		"in time":            {[]timing{quick}, nil, 1, quick},
		"at the third try":   {[]timing{slow, slow, quick}, nil, 3, quick},
		"busy":               {[]timing{{100, 70 * ms, 41 * ms, 30 * ms}, {100, 52 * ms, 42 * ms, 12 * ms}, slow}, []string{"in the best 52ms and at most 42ms of processor time", "paused for 12ms", "busy"}, rounds, timing{100, 52 * ms, 42 * ms, 12 * ms}},
		"too slow":           {[]timing{{100, 60 * ms, 0, 1 * ms}}, []string{"paused for 1ms", "too slow"}, rounds, timing{100, 60 * ms, 0, 1 * ms}},
		"too slow, and busy": {[]timing{{100, 90 * ms, 60 * ms, 20 * ms}}, []string{"too slow"}, rounds, timing{100, 90 * ms, 60 * ms, 20 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				best, err := inTime(t.Context(), func() (timing, error) {
					asked++
					return c.rounds[min(asked, len(c.rounds))-1], nil
				})
				if asked != c.asked || best != c.best || (err == nil) != (c.says == nil) {
					t.Errorf("after %d rounds %+v, %v; want %d and %+v", asked, best, err, c.asked, c.best)
				}
				for _, want := range c.says {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("error %q does not say %q", err, want)
					}
				}
				if busy := errors.As(err, new(BusyError)); busy != (name == "busy") {
					t.Errorf("%v is a BusyError: %v", err, busy)
				}
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := inTime(ctx, func() (timing, error) { return slow, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted between rounds: %v", err)
	}
}

// A round measures turns but each game's first, and the machine's pauses.
func TestTimed(t *testing.T) {
	program := compile(t, Go, small(t))
	seen, err := games["onitama"].timed(t.Context(), program, 3)
	if err != nil || seen.answers < 3 || seen.slowest <= 0 || seen.pause <= 0 {
		t.Errorf("a round: %+v, %v", seen, err)
	}
}

// The source of a bot whose answers could not be timed begins with a line that says so, if there is
// room for it.
func TestWarn(t *testing.T) {
	r := Report{Slowest: 60 * ms, Spent: 42 * ms}
	if got := r.Warn("int main"); got != "int main" {
		t.Errorf("a bot that was timed becomes %q", got)
	}
	r.Unjudged = "busy"
	if got := r.Warn("int main"); !strings.HasPrefix(got, "// TIMING NOT VERIFIED: ") || !strings.Contains(got, "60ms, and at most 42ms of") || !strings.HasSuffix(got, "\nint main") {
		t.Errorf("a bot that was not timed becomes %q", got)
	}
	if long := strings.Repeat("x", Limit-10); r.Warn(long) != long {
		t.Error("the line makes a source too long")
	}
}
