// Package parallel spreads independent pieces of work over goroutines. The caller
// decides what the pieces are, so that combining their results in order gives the
// same bits for any number of workers.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// For calls f(0) to f(n-1), each once, on at most workers goroutines, of which the caller's is
// one. It returns when all calls have returned and the other goroutines end.
func For(n, workers int, f func(i int)) {
	j := &job{n: int64(n), f: f}
	j.left.Add(n)
	var others sync.WaitGroup
	for range min(workers, n) - 1 {
		others.Go(j.run)
	}
	j.run()
	others.Wait()
}

// A Team is goroutines that share the work of many calls of For, one after the other. After a call
// they stay awake for a short time and look for the next one: a step of training calls For several
// times, and waking a sleeping processor takes about as long as the work of one call.
type Team struct {
	workers  int
	patience time.Duration // how long a helper polls before it ends

	helpers sync.WaitGroup
	waiting atomic.Int64 // the number of polling helpers that are not claimed
	claimed chan *job    // for the claimed ones
	closed  chan struct{}
}

// NewTeam returns a team of some workers, at least one. The caller of For is one of them.
func NewTeam(workers int) *Team {
	workers = max(1, workers)
	return &Team{workers: workers, patience: 300 * time.Microsecond, claimed: make(chan *job, workers), closed: make(chan struct{})}
}

// Workers returns the number of workers, which is at least 1.
func (t *Team) Workers() int { return t.workers }

// Close returns when no goroutine of the team is left, which takes less than a millisecond. For
// must not be called again.
func (t *Team) Close() {
	close(t.closed)
	t.helpers.Wait()
}

// For calls f(0) to f(n-1), each once, on the team and the caller's goroutine, and returns after all
// have returned. One goroutine calls it at a time.
func (t *Team) For(n int, f func(i int)) {
	j := &job{n: int64(n), f: f}
	j.left.Add(n)
	for range min(t.workers, n) - 1 {
		if t.claim() {
			t.claimed <- j
		} else {
			t.helpers.Go(func() { t.help(j) })
		}
	}
	j.run()
	spin(t.patience, func() bool { return j.done.Load() == j.n })
	j.left.Wait()
}

// A job is a call of For.
type job struct {
	n          int64
	f          func(i int)
	next, done atomic.Int64 // numbers of pieces begun and done
	left       sync.WaitGroup
}

// run does pieces until all have been begun.
func (j *job) run() {
	for i := j.next.Add(1) - 1; i < j.n; i = j.next.Add(1) - 1 {
		j.f(int(i))
		j.done.Add(1)
		j.left.Done()
	}
}

// help does pieces of j and of the jobs after it.
func (t *Team) help(j *job) {
	for j != nil {
		j.run()
		j = t.nextJob()
	}
}

// claim claims a waiting helper if there is one. The caller must then send it a job.
func (t *Team) claim() bool {
	for {
		n := t.waiting.Load()
		if n == 0 {
			return false
		}
		if t.waiting.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// nextJob returns the next job of a helper, or nil if there is none for as long as the helper waits.
func (t *Team) nextJob() (j *job) {
	t.waiting.Add(1)
	spin(t.patience, func() bool {
		select {
		case j = <-t.claimed:
			return true
		default:
			return false
		}
	})
	if j == nil && !t.claim() { // another goroutine has just claimed this helper and is sending it a job
		select {
		case j = <-t.claimed:
		case <-t.closed:
		}
	}
	return j
}

// spin yields to other goroutines until happened returns true or patience is over.
func spin(patience time.Duration, happened func() bool) {
	for begin := time.Now(); !happened() && time.Since(begin) < patience; {
		runtime.Gosched()
	}
}
