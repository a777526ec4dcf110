// Package parallel distributes independent pieces of work over goroutines. The caller decides how
// the work is split into pieces. If the caller also combines the results of the pieces in a fixed
// order, the overall result is bit-identical for any number of workers.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// For calls f(0) to f(n-1), each exactly once. It uses at most workers goroutines, including the
// caller's. It returns when all calls have returned; the other goroutines then exit.
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

// A Team is a group of goroutines that share the work of For. After a call of For, they wait for
// the next call for a short time without sleeping. This matters because a training step calls For
// several times, and waking a sleeping processor takes about as long as the work of one call.
type Team struct {
	workers  int
	patience time.Duration // how long a helper (a goroutine of the team) waits for a job before it exits

	helpers sync.WaitGroup
	waiting atomic.Int64 // number of waiting helpers that are not claimed
	claimed chan *job    // through this channel, claimed helpers receive their jobs
	closed  chan struct{}
}

// NewTeam returns a team of the given number of workers (at least one). The goroutine that calls
// For is one of them.
func NewTeam(workers int) *Team {
	workers = max(1, workers)
	return &Team{workers: workers, patience: 300 * time.Microsecond, claimed: make(chan *job, workers), closed: make(chan struct{})}
}

// Workers returns the number of workers, at least 1.
func (t *Team) Workers() int { return t.workers }

// Close makes the team's goroutines exit and waits for them, which takes less than a millisecond.
// For must not be called after Close.
func (t *Team) Close() {
	close(t.closed)
	t.helpers.Wait()
}

// For calls f(0) to f(n-1), each exactly once, on the goroutines of the team and the caller's
// goroutine. It returns when all calls have returned. Only one goroutine may call For at a time.
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

// A job is the work of one call of For.
type job struct {
	n          int64
	f          func(i int)
	next, done atomic.Int64 // number of pieces that have been started (next) and finished (done)
	left       sync.WaitGroup
}

// run takes pieces and works on them, until all pieces have been started.
func (j *job) run() {
	for i := j.next.Add(1) - 1; i < j.n; i = j.next.Add(1) - 1 {
		j.f(int(i))
		j.done.Add(1)
		j.left.Done()
	}
}

// help works on j and then on the next jobs. It returns if no job arrives in time.
func (t *Team) help(j *job) {
	for j != nil {
		j.run()
		j = t.nextJob()
	}
}

// claim claims a helper that waits for a job. It returns false if there is none. If it returns
// true, the caller must send the helper a job.
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

// nextJob waits for a helper's next job. If none arrives within t.patience, it returns nil.
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
	if j == nil && !t.claim() { // another goroutine has just claimed this helper and will send it a job
		select {
		case j = <-t.claimed:
		case <-t.closed:
		}
	}
	return j
}

// spin waits until happened returns true, but no longer than patience. Meanwhile it lets other
// goroutines run.
func spin(patience time.Duration, happened func() bool) {
	for begin := time.Now(); !happened() && time.Since(begin) < patience; {
		runtime.Gosched()
	}
}
