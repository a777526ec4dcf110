package hub

import (
	"slices"
	"sync"
	"time"

	"dojo.example/data/audit"
)

// leases records which workers were given which tasks of a lot. Several goroutines may call its
// methods at the same time.
type leases struct {
	ordered bool                   // results count in the order of their tasks, so a late task is given to a second worker
	works   func(name string) bool // reports whether a worker is present

	mu    sync.Mutex
	all   map[int]map[string]lease // the leases by the number of the task and the name of the worker or audit.Trainer; guarded by mu
	took  []time.Duration          // how long the workers that sent the last results took for them; guarded by mu
	usual time.Duration            // the median of took; 0 before the first result; guarded by mu
}

// A lease records that a task was given to a worker or to audit.Trainer.
type lease struct {
	since time.Time // when the task was given
	held  bool      // the worker is working on the task; if false, it has stopped, but its result is still accepted
	again bool      // others already had the task when it was given
	sent  bool      // the result has arrived but is not stored yet
	stray bool      // a result has arrived although the worker was never given the task
}

// maxTook is the number of results from which the usual time of a task is computed. Their median is
// robust against a few slow workers.
const maxTook = 15

// free returns the first missing task that nobody works on and that who does not hold.
func (l *leases) free(who string, missing []int) (number int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	late := time.Time{}
	if l.ordered { // a task that takes twice the usual time is given to the next worker that asks
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

// busy reports whether who still works on a task that nobody had before it. A copy of another task
// would only make who finish its own task later.
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

// oldest returns, among the missing tasks that who does not hold, the task that was last given out
// the longest time ago.
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

// holds reports whether who works on a task.
func (l *leases) holds(number int, who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[number][who].held
}

// give notes that who has a task from now on. again says that others already had it.
func (l *leases) give(number int, who string, again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(number, who, lease{since: time.Now(), held: true, again: again})
}

// set stores a lease. The caller holds l.mu.
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

// arrives notes that a worker's result has arrived. given says whether the worker was given the
// task. again says that the worker has sent such an unexpected result before. This is harmless: a
// worker repeats a result until the hub answers, and a trainer that was restarted may receive many
// copies.
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

// ends notes that the hub has processed a result of who. valid says whether the result was
// accepted. If isNew is true, it was the first result of the task, and ends returns the workers
// that were given the task earlier and have not finished it.
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

// before returns a point in the past: a task that was given out earlier has taken more than the
// given multiple of the usual time. It returns the zero time if the usual time is unknown. The
// caller holds l.mu.
func (l *leases) before(times time.Duration) (late time.Time) {
	if l.usual > 0 {
		late = time.Now().Add(-times * l.usual)
	}
	return late
}

// late returns the time before which a worker must have been asked to compute a result again if
// that result is late now. The limit is four times the usual time: the worker had time for the task
// that it was doing and for this one, twice over.
func (l *leases) late() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.before(4)
}

// count adds the number of tasks that each worker holds to a table.
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
