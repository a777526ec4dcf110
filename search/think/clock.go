package think

import "time"

// A clock determines when a search has used up its time. Reading the time after every simulation
// would be slow: with a fast network, one reading takes a twentieth of the time of a simulation. So
// the clock adapts the number of simulations between two readings, and reads the time about every
// 20 microseconds (readEvery).
type clock struct {
	began time.Time     // time at which the search began
	read  time.Duration // the last reading, as the time since began
	step  int           // number of simulations between two readings
	next  int           // number of simulations at which to read the time again
}

const (
	readEvery = 20 * time.Microsecond // intended time between two readings
	mostSteps = 64                    // largest value of clock.step
)

// reaches reports whether the search has used up its time limit after the given number of
// simulations. Between two readings of the time it returns false.
func (c *clock) reaches(limit time.Duration, simulations int) bool {
	if simulations < c.next {
		return false
	}
	now := time.Since(c.began)
	switch took := now - c.read; {
	case took > readEvery:
		c.step /= 2
	case took < readEvery/2:
		c.step = min(2*max(1, c.step), mostSteps)
	}
	c.read, c.next = now, simulations+c.step
	return now >= limit
}
