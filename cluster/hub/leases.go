package hub

import (
	"slices"
	"sync"
	"time"

	"dojo.example/data/audit"
)

// leases says who was given which tasks of a lot. Its methods may be called by several goroutines at a time.
type leases struct {
	ordered bool                   // the results count in their order, so nobody waits for a late one
	works   func(name string) bool // reports whether a worker is there

	mu    sync.Mutex
	all   map[int]map[string]lease // by number and worker, or audit.Trainer; guarded by mu
	took  []time.Duration          // how long the last results took those who sent them; guarded by mu
	usual time.Duration            // their median; 0 before there is a result; guarded by mu
}

// A lease is a task in the hands of a worker, or of audit.Trainer.
type lease struct {
	since time.Time // when it was given
	held  bool      // it works on it; if not, it did, and its result still counts
	again bool      // others had it already when it was given
	sent  bool      // its result has come and is not stored yet
	stray bool      // its result has come although it was never given the task
}

// maxTook is the number of results that say how long a task usually takes. Most of them come from workers
// that are not slow.
const maxTook = 15

// free returns the first missing task that nobody works on and that who does not hold.
func (l *leases) free(who string, missing []int) (number int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	late := time.Time{}
	if l.ordered { // a task that takes twice the usual time is given to the next who asks
		late = l.before(2)
	}
	for _, n := range missing {
		taken := l.all[n][who].held
		for other, x := range l.all[n] {
			taken = taken || x.held && !x.since.Before(late) && (other == audit.Trainer || l.works(other))
		}
		if !taken {
			return n, true
		}
	}
	return 0, false
}

// busy reports whether who still works on a task that nobody had before. Giving it a second copy of another task would
// only delay that task.
func (l *leases) busy(who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, holders := range l.all {
		if x := holders[who]; x.held && !x.sent && !x.again {
			return true
		}
	}
	return false
}

// oldest returns the missing task that others hold and that was not given to anybody for the longest time.
func (l *leases) oldest(who string, missing []int) (number int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var first time.Time
	for _, n := range missing {
		var given time.Time
		for _, x := range l.all[n] {
			if x.held && x.since.After(given) {
				given = x.since
			}
		}
		if !l.all[n][who].held && (!ok || given.Before(first)) {
			number, first, ok = n, given, true
		}
	}
	return number, ok
}

// holds reports whether somebody works on a task.
func (l *leases) holds(number int, who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[number][who].held
}

// give notes that who has a task now; again says that others had it already.
func (l *leases) give(number int, who string, again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(number, who, lease{since: time.Now(), held: true, again: again})
}

// set notes a lease. The caller holds l.mu.
func (l *leases) set(number int, who string, x lease) {
	if l.all == nil {
		l.all = map[int]map[string]lease{}
	}
	if l.all[number] == nil {
		l.all[number] = map[string]lease{}
	}
	l.all[number][who] = x
}

// keep notes that who works on the listed tasks and on no others.
func (l *leases) keep(who string, numbers []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, holders := range l.all {
		if x := holders[who]; x.held && !x.sent && !slices.Contains(numbers, n) {
			x.held = false
			holders[who] = x
		}
	}
}

// arrives notes that a worker's result has come. given is false if the worker was never given
// the task. again says that such a result has come before: a worker repeats a result until it is answered, and a
// trainer that was restarted may receive many copies.
func (l *leases) arrives(number int, who string) (given, again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x, ok := l.all[number][who]
	given, again = ok && !x.stray, x.stray
	if x.sent = given; !given {
		x.stray = true
	}
	l.set(number, who, x)
	return given, again
}

// ends notes that the result of who was dealt with. valid says that it was one. If it was also the first, isNew,
// ends returns the workers that have had the task for longer.
func (l *leases) ends(number int, who string, valid, isNew bool) (outrun []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	mine := l.all[number][who]
	if valid && mine.held {
		l.took = append(l.took, time.Since(mine.since))
		l.took = l.took[max(0, len(l.took)-maxTook):]
		l.usual = slices.Sorted(slices.Values(l.took))[len(l.took)/2]
	}
	for other, x := range l.all[number] {
		if isNew && x.held && !x.sent && x.since.Before(mine.since) && other != audit.Trainer {
			outrun = append(outrun, other)
		}
	}
	l.set(number, who, lease{since: mine.since})
	return outrun
}

// before returns the time before which a task must have been given to have taken some times as long as
// tasks usually do. The caller holds l.mu.
func (l *leases) before(times time.Duration) (late time.Time) {
	if l.usual > 0 {
		late = time.Now().Add(-times * l.usual)
	}
	return late
}

// late returns the time before which somebody must have been asked for a second result that is late: there was
// time for the task in hand, for this one, and for both again.
func (l *leases) late() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.before(4)
}

// count adds the number of tasks in the hands of each worker to a table.
func (l *leases) count(held map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, holders := range l.all {
		for who, x := range holders {
			if x.held && !x.sent {
				held[who]++
			}
		}
	}
}
