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

// For calls f(0) to f(n-1), each once, on at most workers goroutines, and returns
// after all have returned.
func For(n, workers int, f func(i int)) {
	if workers = min(workers, n); workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	j := &job{n: int64(n), f: f}
	j.left.Add(n)
	for range workers - 1 {
		if claim() {
			claimed <- j
		} else {
			go help(j)
		}
	}
	j.run()
	j.wait()
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

// wait returns when all pieces are done.
func (j *job) wait() {
	spin(func() bool { return j.done.Load() == j.n })
	j.left.Wait()
}

// A helper is a goroutine that does pieces of jobs. Before it ends it polls for another
// job for a while: a step of training calls For dozens of times, each time for work that
// takes about as long as waking a sleeping processor.
var (
	waiting atomic.Int64            // number of polling helpers that are not claimed
	claimed = make(chan *job, 1024) // jobs for claimed helpers
)

// patience is how long spin polls.
const patience = 300 * time.Microsecond

// help does pieces of j and of the jobs after it.
func help(j *job) {
	for j != nil {
		j.run()
		j = nextJob()
	}
}

// claim claims a waiting helper if there is one. The caller must then send it a job.
func claim() bool {
	for {
		n := waiting.Load()
		if n == 0 {
			return false
		}
		if waiting.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// nextJob returns the next job of a helper, or nil if none came within patience.
func nextJob() (j *job) {
	waiting.Add(1)
	spin(func() bool {
		select {
		case j = <-claimed:
			return true
		default:
			return false
		}
	})
	if j == nil && !claim() { // another goroutine has just claimed this helper and is sending it a job
		j = <-claimed
	}
	return j
}

// spin yields to other goroutines until happened returns true or patience is over.
func spin(happened func() bool) {
	for begin := time.Now(); !happened() && time.Since(begin) < patience; {
		runtime.Gosched()
	}
}
