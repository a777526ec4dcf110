package parallel_test

import (
	"sync/atomic"
	"testing"

	"dojo/internal/parallel"
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
