// Package parallel spreads independent pieces of work over goroutines. The caller
// decides what the pieces are, so that combining their results in order gives the
// same bits for any number of workers.
package parallel

import (
	"sync"
	"sync/atomic"
)

// For calls f(0) to f(n-1), each once, on at most workers goroutines, of which the caller's is one. It
// returns when all calls have returned and its goroutines end.
func For(n, workers int, f func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			f(int(i))
		}
	}
	var others sync.WaitGroup
	for range min(workers, n) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}
