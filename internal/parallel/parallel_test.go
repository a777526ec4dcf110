package parallel_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"dojo.example/internal/parallel"
)

// Every piece is done once and before For returns.
func TestFor(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7, 200} {
		for _, n := range []int{0, 1, 100} {
			done := make([]atomic.Int32, n)
			parallel.For(n, workers, func(i int) { done[i].Add(1) })
			for i := range done {
				if got := done[i].Load(); got != 1 {
					t.Fatalf("%d workers: piece %d of %d was done %d times", workers, i, n, got)
				}
			}
		}
	}
}

// Calls from many goroutines at once, and from pieces of others, share the helpers.
func TestForAtOnce(t *testing.T) {
	var pieces atomic.Int64
	parallel.For(20, 20, func(int) {
		for range 50 {
			parallel.For(7, 3, func(int) {
				parallel.For(3, 2, func(int) { pieces.Add(1) })
			})
		}
	})
	if got := pieces.Load(); got != 20*50*7*3 {
		t.Errorf("%d pieces were done, want %d", got, 20*50*7*3)
	}
}

// Helpers end when there is nothing to do.
func TestHelpersEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 100 {
		parallel.For(64, 64, func(int) {})
	}
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}
