package parallel_test

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"

	"dojo.example/internal/parallel"
)

// For calls f exactly once for every piece, and returns only after all calls.
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

// Many goroutines can call For at the same time, and f can call For itself.
func TestForAtOnce(t *testing.T) {
	var pieces atomic.Int64
	parallel.For(20, 20, func(int) {
		team := parallel.NewTeam(3)
		defer team.Close()
		for range 50 {
			team.For(7, func(int) {
				parallel.For(3, 2, func(int) { pieces.Add(1) })
			})
		}
	})
	if got := pieces.Load(); got != 20*50*7*3 {
		t.Errorf("%d pieces were done, want %d", got, 20*50*7*3)
	}
}

// After For and Close have returned, none of the team's goroutines are left. The test looks for
// goroutines with the function help on their stack.
func TestNoGoroutineIsLeft(t *testing.T) {
	stacks := make([]byte, 1<<20)
	for name, work := range map[string]func(){
		"For": func() { parallel.For(64, 64, func(int) {}) },
		"a team": func() {
			team := parallel.NewTeam(64)
			for range 10 {
				team.For(64, func(int) {})
			}
			team.Close()
		},
	} {
		for range 100 {
			work()
			if all := stacks[:runtime.Stack(stacks, true)]; bytes.Contains(all, []byte(").help(")) {
				t.Fatalf("%s: a goroutine is left:\n%s", name, all)
			}
		}
	}
}
