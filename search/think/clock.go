package think

import "time"

// A clock says when the time of a search is over. It does not read the time after every
// simulation, because a reading takes a twentieth of the time of a simulation with a fast
// network. It reads it about every readEvery.
type clock struct {
	began time.Time     // when the search began
	read  time.Duration // the time from began to the last reading
	step  int           // the number of simulations from one reading to the next
	next  int           // the number of simulations at which the time is read again
}

const (
	readEvery = 20 * time.Microsecond // the intended time between two readings
	mostSteps = 64                    // the largest step
)

// reaches reports whether the search, which has made the given number of simulations, has used
// up its time limit. Between two readings of the time it returns false.
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
