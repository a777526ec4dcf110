package cputime

import (
	"testing"
	"time"
)

// Computing uses CPU time, and sleeping uses hardly any.
func TestProcess(t *testing.T) {
	start, sum := Process(), 0
	for Process()-start < 20*time.Millisecond {
		for i := range 100_000 {
			sum += i
		}
	}
	before := Process()
	time.Sleep(100 * time.Millisecond)
	if waited := Process() - before; waited > 50*time.Millisecond {
		t.Errorf("a sleep of 100 ms took %v of CPU time", waited)
	}
}
