// Package parallel spreads independent pieces of work over goroutines. The
// pieces are fixed by the caller and not by the number of workers, so that a
// result that is put together in the order of the pieces is the same for any
// number.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// For calls f(0) to f(n-1), each once, on at most workers goroutines, and
// returns when all have.
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

// A job is the pieces of a call of For.
type job struct {
	n          int64
	f          func(i int)
	next, done atomic.Int64 // pieces that somebody has begun, and that are done
	left       sync.WaitGroup
}

// run does pieces until none is left to begin.
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

// A helper is a goroutine that does pieces of jobs. When there are none left it looks for
// another job for a while before it ends: a step of training calls For dozens of times, for
// work that is done in about the time that it takes to wake a sleeping processor.
var (
	waiting atomic.Int64            // helpers that look for a job and are not claimed
	claimed = make(chan *job, 1024) // jobs for helpers that are
)

// patience is how long somebody looks for something to happen before going to sleep.
const patience = 300 * time.Microsecond

// help does pieces of j and of the jobs after it.
func help(j *job) {
	for j != nil {
		j.run()
		j = nextJob()
	}
}

// claim takes one of the waiting helpers, if there is one. Whoever claims a helper sends it
// a job.
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

// nextJob returns the next job of a helper, or nil if there was none for a while.
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
	if j == nil && !claim() { // somebody has claimed this helper in the last moment, and is sending it a job
		j = <-claimed
	}
	return j
}

// spin lets others run until something has happened, or patience ends.
func spin(happened func() bool) {
	for begin := time.Now(); !happened() && time.Since(begin) < patience; {
		runtime.Gosched()
	}
}
