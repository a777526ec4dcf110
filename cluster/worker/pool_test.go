package worker

import (
	"fmt"
	"testing"

	"dojo.example/cluster/wire"
	"dojo.example/internal/balance"
)

// If runs are equal, different workers choose different runs. Otherwise their load decides.
func TestBest(t *testing.T) {
	chosen := map[string]int{}
	for i := range 300 {
		chosen[best([]wire.Welcome{{Run: "a"}, {Run: "b"}, {Run: "c"}}, fmt.Sprint("worker ", i)).Run]++
		busy := wire.Welcome{Run: "b", Load: balance.Load{Free: 1}}
		if run := best([]wire.Welcome{{Run: "a"}, busy, {Run: "c"}}, fmt.Sprint("worker ", i)).Run; run != "b" {
			t.Fatalf("worker %d chooses run %s, want the run with free tasks", i, run)
		}
	}
	for _, run := range []string{"a", "b", "c"} {
		if n := chosen[run]; n < 60 || n > 140 {
			t.Errorf("of 300 workers %d choose run %s", n, run)
		}
	}
}

// A worker that alternates between two runs reads the models of both only once. A worker of a single
// hub keeps only the models of its lot (batch of tasks).
func TestFilesOfTwoLots(t *testing.T) {
	for pooled, want := range map[bool]int{false: 4, true: 2} {
		made := 0
		w := newWorker(Options{Name: "w", Makers: map[string]Maker{"test": func(l wire.Lot, files [2][]byte, _ int) (Executor, error) {
			made++
			if string(files[0]) != l.Spec {
				return nil, fmt.Errorf("lot %s gets file %q", l.Spec, files[0])
			}
			return nil, nil
		}}})
		w.pooled = pooled
		fetched := 0
		for range 2 {
			for _, run := range []string{"a", "b"} {
				err := w.newExecutor(wire.Lot{Kind: "test", Spec: run, Files: [2]string{run}}, func(name string) ([]byte, error) {
					fetched++
					return []byte(name), nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if fetched != want || made != 4 {
			t.Errorf("in a pool %v: %d files were fetched for %d executors, want %d and 4", pooled, fetched, made, want)
		}
	}
}
