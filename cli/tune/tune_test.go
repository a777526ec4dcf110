package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
)

// valley simulates the games of a tuning with two constants, 16 games per iteration. A player loses
// 150 Elo if its first constant is wrong by a factor of e, and 40 Elo if its second constant is
// wrong by 0.3.
func valley(seed uint64) Play {
	rng := rand.New(rand.NewPCG(seed, 1))
	elo := func(x []float64) float64 {
		return -150*math.Pow(math.Log(x[0]/1.5), 2) - 40*math.Pow((x[1]-0.4)/0.3, 2)
	}
	return func(_ context.Context, _ int, a, b []float64) (float64, error) {
		wins := 0
		for range 16 {
			if rng.Float64() < 1/(1+math.Pow(10, (elo(b)-elo(a))/400)) {
				wins++
			}
		}
		return float64(wins) / 16, nil
	}
}

func plan(seed uint64) Plan {
	return Plan{
		Constants: []Constant{
			{Name: "cpuct", Start: 6, Low: 0.3, High: 8, Log: true},
			{Name: "fpu", Start: 1, Low: 0, High: 1},
		},
		Iterations: 600, Seed: seed,
	}
}

// Constants with wrong start values converge to values that cost almost no strength.
func TestFindsPlantedConstants(t *testing.T) {
	for seed := range uint64(10) {
		s, err := Open("", plan(seed))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context(), valley(seed), func() {}); err != nil {
			t.Fatal(err)
		}
		v := s.Values()
		if lost := 150*math.Pow(math.Log(v[0]/1.5), 2) + 40*math.Pow((v[1]-0.4)/0.3, 2); lost > 20 {
			t.Errorf("seed %d: %v is %.0f Elo below the best", seed, v, lost)
		}
	}
}

// If a tuning is stopped and continued from its file, the result is the same. Opening the file of a
// different tuning fails.
func TestStoppedTuning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	whole, err := Open("", plan(1))
	if err != nil {
		t.Fatal(err)
	}
	var scores []float64
	play := valley(1)
	if err := whole.Run(t.Context(), func(ctx context.Context, k int, a, b []float64) (float64, error) {
		score, err := play(ctx, k, a, b)
		scores = append(scores, score)
		return score, err
	}, func() {}); err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	for _, until := range []int{1, 100, 600} {
		part, err := Open(path, plan(1))
		if err != nil {
			t.Fatal(err)
		}
		err = part.Run(t.Context(), func(_ context.Context, k int, _, _ []float64) (float64, error) {
			if k == until {
				return 0, stopped
			}
			return scores[k], nil
		}, func() {})
		if part.Done() != until || until < 600 && !errors.Is(err, stopped) {
			t.Fatalf("%v after %d iterations, want %d", err, part.Done(), until)
		}
	}
	again, err := Open(path, plan(1))
	if err != nil || again.Done() != 600 || !reflect.DeepEqual(again.Values(), whole.Values()) {
		t.Errorf("in parts: %v, %v; as a whole %v", again.Values(), err, whole.Values())
	}
	if _, err := Open(path, plan(2)); err == nil {
		t.Error("steps of another seed are replayed")
	}
}
