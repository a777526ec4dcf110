// Package parallel distributes independent pieces of work over goroutines. The caller decides what
// the pieces are. If it combines their results in order, the result has the same bits for any
// number of workers.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// For calls f(0) to f(n-1), each once, on at most workers goroutines including the caller's. It
// returns when all calls have returned and the other goroutines are ending.
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

// A Team is a group of goroutines that share the work of many consecutive calls of For. After a
// call they stay awake for a short time and wait for the next one. A training step calls For
// several times, and waking a sleeping processor takes about as long as the work of one call.
type Team struct {
	workers  int
	patience time.Duration // how long a helper polls for a job before it ends

	helpers sync.WaitGroup
	waiting atomic.Int64 // number of polling helpers that nobody has claimed
	claimed chan *job    // carries jobs to claimed helpers
	closed  chan struct{}
}

// NewTeam returns a team of at least one worker. The caller of For is one of the workers.
func NewTeam(workers int) *Team {
	workers = max(1, workers)
	return &Team{workers: workers, patience: 300 * time.Microsecond, claimed: make(chan *job, workers), closed: make(chan struct{})}
}

// Workers returns the number of workers, at least 1.
func (t *Team) Workers() int { return t.workers }

// Close ends the team's goroutines and returns when all have ended, in less than a millisecond. For
// must not be called after Close.
func (t *Team) Close() {
	close(t.closed)
	t.helpers.Wait()
}

// For calls f(0) to f(n-1), each once, on the team and the caller's goroutine, and returns when all
// calls have returned. Only one goroutine may call For at a time.
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

// A job is one call of For.
type job struct {
	n          int64
	f          func(i int)
	next, done atomic.Int64 // numbers of pieces that have begun and that are done
	left       sync.WaitGroup
}

// run works on pieces until all have begun.
func (j *job) run() {
	for i := j.next.Add(1) - 1; i < j.n; i = j.next.Add(1) - 1 {
		j.f(int(i))
		j.done.Add(1)
		j.left.Done()
	}
}

// help works on job j and then on further jobs until none comes.
func (t *Team) help(j *job) {
	for j != nil {
		j.run()
		j = t.nextJob()
	}
}

// claim claims a polling helper if there is one. The caller must then send it a job.
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

// nextJob waits for a helper's next job. It returns nil if none comes within the team's patience.
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

// spin yields to other goroutines until happened returns true or patience has passed.
func spin(patience time.Duration, happened func() bool) {
	for begin := time.Now(); !happened() && time.Since(begin) < patience; {
		runtime.Gosched()
	}
}
