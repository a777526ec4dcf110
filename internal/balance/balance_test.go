package balance

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A worker goes to a run with free tasks, and among these to the run with the fewest workers for its
// weight.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		what string
		a, b Load
		want int
	}{
		{"equal runs", Load{Workers: 1, Free: 1}, Load{Workers: 1, Free: 1, Weight: 1}, 0},
		{"fewer workers", Load{Workers: 2, Free: 1}, Load{Workers: 3, Free: 1}, -1},
		{"free tasks come first", Load{Workers: 3, Free: 1}, Load{}, -1},
		{"the number of free tasks does not matter", Load{Free: 1}, Load{Workers: 1, Free: 100}, -1},
		{"a run without workers and the heavier weight", Load{Free: 1, Weight: 2}, Load{Free: 1}, -1},
		{"a heavy run with more workers", Load{Workers: 2, Free: 1, Weight: 2}, Load{Workers: 1, Free: 1}, -1},
		{"a heavy run with too many workers", Load{Workers: 1, Free: 1}, Load{Workers: 4, Free: 1, Weight: 2}, -1},
	} {
		if got, back := c.a.Compare(c.b), c.b.Compare(c.a); got != c.want || back != -c.want {
			t.Errorf("%s: %d and, in the other order, %d, want %d", c.what, got, back, c.want)
		}
	}
}

// A worker with a task leaves a run only if another run with free tasks has too few workers, and not
// all workers leave at once.
func TestCrowded(t *testing.T) {
	for _, c := range []struct {
		what   string
		here   Load
		others []Load
		share  float64 // the share of the workers that leave
	}{
		{"no other run", Load{6, 1, 1}, nil, 0},
		{"one worker more", Load{2, 1, 1}, []Load{{1, 1, 1}}, 0},
		{"two workers more", Load{2, 1, 1}, []Load{{0, 1, 1}}, 0.5},
		{"all workers", Load{6, 1, 1}, []Load{{0, 1, 1}}, 0.5},
		{"all workers of three runs", Load{6, 1, 1}, []Load{{0, 1, 1}, {0, 1, 1}}, 2. / 3},
		{"no free tasks elsewhere", Load{6, 1, 1}, []Load{{0, 1, 0}}, 0},
		{"too few workers here", Load{1, 1, 1}, []Load{{5, 1, 1}}, 0},
		{"as many workers as the weights want", Load{4, 2, 1}, []Load{{2, 1, 1}}, 0},
		{"more workers than the weights want", Load{3, 1, 1}, []Load{{3, 2, 1}}, 1. / 3},
		{"old hubs send no weight", Load{4, 0, 1}, []Load{{0, 0, 1}}, 0.5},
	} {
		const trials = 1000
		leave := 0
		for i := range trials {
			if c.here.Crowded(c.others, (float64(i)+0.5)/trials) {
				leave++
			}
		}
		if got := float64(leave) / trials; got < c.share-0.01 || got > c.share+0.01 {
			t.Errorf("%s: the share %v of the workers leaves, want %v", c.what, got, c.share)
		}
	}
}

// A worker avoids a run that has refused it, until some time has passed or the run has another
// program.
func TestRefusals(t *testing.T) {
	r := Refusals{}
	if r.Has("a", "1") || r.Has("a", "") {
		t.Error("a run has refused a worker that never asked")
	}
	if !r.Add("a", "1", time.Hour) || r.Add("a", "1", time.Hour) {
		t.Error("the first refusal is not new, or the second is")
	}
	if !r.Has("a", "1") || r.Has("a", "2") || r.Has("b", "1") {
		t.Error("the run has not refused the worker, or another run or program has")
	}
	if !r.Add("a", "2", 0) || r.Has("a", "2") {
		t.Error("the refusal by a new program is not new, or lasts longer than it should")
	}
}

// Workers that are all at one run distribute themselves by the weights of the runs, and then stay.
// None of them changes its run more than a few times.
func TestBalance(t *testing.T) {
	const workers, rounds, worst = 60, 30, 4
	rng := rand.New(rand.NewPCG(1, 2))
	weights := []float64{1, 2, 3}
	at, moves := make([]int, workers), make([]int, workers)
	count := func() []Load {
		runs := make([]Load, len(weights))
		for i, w := range weights {
			runs[i] = Load{Weight: w, Free: 1}
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
			if runs[run].Crowded(slices.Delete(slices.Clone(runs), run, run+1), rng.Float64()) {
				leaving = append(leaving, w)
			}
		}
		for _, w := range leaving {
			runs := count()
			runs[at[w]].Workers-- // the worker has said that it leaves
			at[w] = 0
			for i := range runs {
				if runs[i].Compare(runs[at[w]]) < 0 {
					at[w] = i
				}
			}
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
