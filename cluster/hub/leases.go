package hub

import (
	"slices"
	"sync"
	"time"

	"dojo.example/data/audit"
)

// leases records which tasks of a lot (a batch of tasks) were given to which workers. Several
// goroutines may call its methods at the same time. In these methods, the parameter who is the name
// of a worker, or audit.Trainer.
type leases struct {
	ordered bool                   // if true, results count in the order of the tasks, so a second worker gets each task that is late
	works   func(name string) bool // reports whether a worker is present

	mu sync.Mutex
	// all holds the leases by the number of the task, and then by the name of the worker or
	// audit.Trainer. It is guarded by mu.
	all   map[int]map[string]lease
	took  []time.Duration // how long each of the latest results took; guarded by mu
	usual time.Duration   // the median of took; 0 before the first result; guarded by mu
}

// A lease records that a worker or the trainer was given a task.
type lease struct {
	since time.Time // when the task was given
	held  bool      // true while the worker works on the task; a worker that has stopped may still send the result
	again bool      // somebody else already had the task when it was given
	sent  bool      // the result has arrived, but the hub has not stored it yet
	over  bool      // the hub has processed the worker's result
	stray bool      // a result has arrived although the worker was never given the task
}

// The hub estimates how long a task usually takes from the latest maxTook results. It uses their
// median, so that a few slow workers have no influence.
const maxTook = 15

// free returns the first task in missing that nobody works on. If l.ordered is set, a task also
// counts as free if everybody who works on it has had it for more than twice the usual time. free
// never returns a task that the given worker itself works on.
func (l *leases) free(who string, missing []int) (number int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	late := time.Time{}
	if l.ordered { // a task that takes more than twice the usual time counts as free
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

// busy reports whether the given worker still works on a task that nobody else had before. Such a
// worker gets no copy of another task, because the copy would only delay its own task.
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

// oldest returns the task in missing that was handed out longest ago. If a task was handed out
// several times, the last time counts. oldest ignores the tasks that the given worker works on.
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

// holds reports whether the given worker works on the task with the given number.
func (l *leases) holds(number int, who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[number][who].held
}

// give stores a lease: the given worker works on a task from now on. again reports whether somebody
// else already had the task.
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

// keep drops the tasks that the given worker holds, except those in numbers, so that others can get
// them. It does not change a task whose result has arrived.
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

// arrives records that a worker's result has arrived. given reports whether the worker was given
// the task. If it was not, again reports whether the worker has already sent a result of this task.
// Copies are harmless: a worker repeats a result until the hub answers, and a trainer that was
// restarted may receive many copies.
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

// ends records that the hub has processed a result from the given worker. valid reports whether the
// hub accepted the result, and isNew whether it was the first result of the task. In that case,
// ends returns the workers that were given the task earlier and have not finished it.
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
	l.set(number, who, lease{since: mine.since, over: true})
	return outrun
}

// before returns the time now − times·l.usual, where l.usual is the usual duration of a task. A
// task that was given out before that time is taking unusually long. If the usual duration is not
// known yet, before returns the zero time. The caller holds l.mu.
func (l *leases) before(times time.Duration) (late time.Time) {
	if l.usual > 0 {
		late = time.Now().Add(-times * l.usual)
	}
	return late
}

// late returns the time now − 4·l.usual, where l.usual is the usual duration of a task. A worker
// that was asked to recompute a result before that time is late. It has had time to finish its
// previous task and to recompute the result, and as much time again.
func (l *leases) late() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.before(4)
}

// count counts the tasks that each worker holds, and adds the numbers to held.
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
