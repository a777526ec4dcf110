package think

import (
	"testing"
	"time"
)

// If simulations are slow, the clock reads the time after each of them. If they are fast, it skips
// some of them. A search never runs much longer than its time limit.
func TestClock(t *testing.T) {
	c := clock{began: time.Now().Add(-time.Hour)}
	if !c.reaches(time.Minute, 1) {
		t.Fatal("after an hour a minute is not over")
	}
	c = clock{began: time.Now()}
	for n := range 1_000 {
		if c.reaches(time.Hour, n+1) {
			t.Fatal("an hour is over at once")
		}
		if c.step > mostSteps {
			t.Fatalf("%d simulations go by between two readings, more than %d", c.step, mostSteps)
		}
	}
	for range 10 {
		c.began = c.began.Add(-time.Millisecond)
		c.reaches(time.Hour, c.next)
	}
	if c.step != 0 {
		t.Errorf("simulations of a millisecond: %d go by between two readings, want none", c.step)
	}
}
