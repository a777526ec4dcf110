package worker

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dojo.example/cluster/wire"
)

// A worker goes to a run with free tasks, and among these to the run with the fewest workers for its
// weight. If runs are equal, different workers choose different runs.
func TestBest(t *testing.T) {
	for _, c := range []struct {
		what string
		runs []wire.Welcome
		want string
	}{
		{"the only run", []wire.Welcome{{Run: "a"}}, "a"},
		{"fewer workers", []wire.Welcome{{Run: "a", Workers: 3, Free: 1}, {Run: "b", Workers: 2, Free: 1}}, "b"},
		{"free tasks come first", []wire.Welcome{{Run: "a", Workers: 3, Free: 1}, {Run: "b"}}, "a"},
		{"the number of free tasks does not matter", []wire.Welcome{{Run: "a", Workers: 1, Free: 100}, {Run: "b", Free: 1}}, "b"},
		{"a run without workers and the heavier weight", []wire.Welcome{{Run: "a", Free: 1}, {Run: "b", Free: 1, Weight: 2}}, "b"},
		{"a heavy run with more workers", []wire.Welcome{{Run: "a", Workers: 1, Free: 1}, {Run: "b", Workers: 2, Free: 1, Weight: 2}}, "b"},
		{"a heavy run with too many workers", []wire.Welcome{{Run: "a", Workers: 1, Free: 1}, {Run: "b", Workers: 4, Free: 1, Weight: 2}}, "a"},
	} {
		for range 2 {
			if got := best(c.runs, "w").Run; got != c.want {
				t.Errorf("%s: run %s, want %s", c.what, got, c.want)
			}
			c.runs = append(c.runs[1:], c.runs[0]) // the order of the answers does not matter
		}
	}
	chosen := map[string]int{}
	for i := range 300 {
		chosen[best([]wire.Welcome{{Run: "a"}, {Run: "b"}, {Run: "c"}}, fmt.Sprint("worker ", i)).Run]++
	}
	for _, run := range []string{"a", "b", "c"} {
		if n := chosen[run]; n < 60 || n > 140 {
			t.Errorf("of 300 workers %d choose run %s", n, run)
		}
	}
}

// A worker with a task leaves a run only if another run with free tasks has too few workers, and not
// all workers leave at once.
func TestCrowded(t *testing.T) {
	run := func(workers, free int, weight float64) wire.Welcome {
		return wire.Welcome{Run: fmt.Sprint(workers, free, weight), Workers: workers, Free: free, Weight: weight}
	}
	for _, c := range []struct {
		what   string
		here   wire.Welcome
		others []wire.Welcome
		share  float64 // the share of the workers that leave
	}{
		{"no other run", run(6, 1, 1), nil, 0},
		{"one worker more", run(2, 1, 1), []wire.Welcome{run(1, 1, 1)}, 0},
		{"two workers more", run(2, 1, 1), []wire.Welcome{run(0, 1, 1)}, 0.5},
		{"all workers", run(6, 1, 1), []wire.Welcome{run(0, 1, 1)}, 0.5},
		{"all workers of three runs", run(6, 1, 1), []wire.Welcome{run(0, 1, 1), run(0, 1, 1)}, 2. / 3},
		{"no free tasks elsewhere", run(6, 1, 1), []wire.Welcome{run(0, 0, 1)}, 0},
		{"too few workers here", run(1, 1, 1), []wire.Welcome{run(5, 1, 1)}, 0},
		{"as many workers as the weights want", run(4, 1, 2), []wire.Welcome{run(2, 1, 1)}, 0},
		{"more workers than the weights want", run(3, 1, 1), []wire.Welcome{run(3, 1, 2)}, 1. / 3},
		{"old hubs send no weight", run(4, 1, 0), []wire.Welcome{run(0, 1, 0)}, 0.5},
	} {
		const trials = 1000
		leave := 0
		for i := range trials {
			if isCrowded(c.here, c.others, (float64(i)+0.5)/trials) {
				leave++
			}
		}
		if got := float64(leave) / trials; got < c.share-0.01 || got > c.share+0.01 {
			t.Errorf("%s: the share %v of the workers leaves, want %v", c.what, got, c.share)
		}
	}
}

// Workers that are all at one run distribute themselves by the weights of the runs, and then stay.
// None of them changes its run more than a few times.
func TestBalance(t *testing.T) {
	const workers, rounds, worst = 60, 30, 4
	rng := rand.New(rand.NewPCG(1, 2))
	weights := []float64{1, 2, 3}
	at, moves := make([]int, workers), make([]int, workers)
	count := func() []wire.Welcome {
		runs := make([]wire.Welcome, len(weights))
		for i, w := range weights {
			runs[i] = wire.Welcome{Run: fmt.Sprint(i), Weight: w, Free: 1}
		}
		for _, run := range at {
			runs[run].Workers++
		}
		return runs
	}
	settled := 0 // the last round in which a worker moved
	for round := range rounds {
		runs := count() // all workers decide by the same answers, and then go one after another
		var leaving []int
		for w, run := range at {
			others := append(append([]wire.Welcome(nil), runs[:run]...), runs[run+1:]...)
			if isCrowded(runs[run], others, rng.Float64()) {
				leaving = append(leaving, w)
			}
		}
		for _, w := range leaving {
			runs := count()
			runs[at[w]].Workers-- // the worker has said that it leaves
			_, _ = fmt.Sscan(best(runs, fmt.Sprint(w)).Run, &at[w])
			moves[w]++
			settled = round
		}
	}
	for i, r := range count() {
		if want := int(weights[i] * workers / 6); r.Workers != want {
			t.Errorf("run %d has %d workers, want %d", i, r.Workers, want)
		}
	}
	if settled > rounds/2 {
		t.Errorf("workers still move in round %d", settled)
	}
	for w, n := range moves {
		if n > worst {
			t.Errorf("worker %d moved %d times", w, n)
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
