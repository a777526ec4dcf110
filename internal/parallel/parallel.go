// Package parallel spreads independent pieces of work over goroutines. The
// pieces are fixed by the caller and not by the number of workers, so that a
// result that is put together in the order of the pieces is the same for any
// number.
package parallel

import (
	"sync"
	"sync/atomic"
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
	var wg sync.WaitGroup
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i)
		}
	}
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
