package think

import "time"

// A clock says when the time of a search is over. To read the time takes as long as a
// twentieth of a fast network's simulation, so that it is not read after each: as many
// simulations go by from one reading to the next as take some twenty microseconds.
type clock struct {
	began time.Time     // when the search began
	read  time.Duration // from then to the last reading
	step  int           // how many simulations go by between readings
	next  int           // the number of simulations at which it is read again
}

const (
	readEvery = 20 * time.Microsecond
	mostSteps = 64
)

// reaches reports whether limit is over after a number of simulations.
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
