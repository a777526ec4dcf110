package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// valley is a game in which a constant that is wrong by a factor of e costs 150 Elo, and another
// one that is wrong by 0.3 costs 40. Each iteration is 16 games.
func valley(seed uint64) func(context.Context, int, []float64, []float64) (float64, error) {
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

func options(seed uint64) Options {
	return Options{
		Constants: []Constant{
			{Name: "cpuct", Start: 6, Low: 0.3, High: 8, Log: true},
			{Name: "fpu", Start: 1, Low: 0, High: 1},
		},
		Iterations: 600, Seed: seed, Play: valley(seed),
	}
}

// Constants that were planted wrong return to where they cost next to nothing.
func TestFindsPlantedConstants(t *testing.T) {
	for seed := range uint64(10) {
		s, err := Begin(options(seed))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context(), func(Step) error { return nil }); err != nil {
			t.Fatal(err)
		}
		v := s.Values()
		if lost := 150*math.Pow(math.Log(v[0]/1.5), 2) + 40*math.Pow((v[1]-0.4)/0.3, 2); lost > 20 {
			t.Errorf("seed %d: %v is %.0f Elo below the best", seed, v, lost)
		}
	}
}

// A tuning that is stopped and replayed goes on as if it had not been.
func TestReplay(t *testing.T) {
	var whole []Step
	s, _ := Begin(options(1))
	if err := s.Run(t.Context(), func(x Step) error { whole = append(whole, x); return nil }); err != nil {
		t.Fatal(err)
	}
	scores := func(_ context.Context, k int, _, _ []float64) (float64, error) { return whole[k].Score, nil }
	opt := options(1)
	opt.Play = scores
	again, _ := Begin(opt)
	if err := again.Replay(whole[:100]); err != nil || again.Done() != 100 {
		t.Fatal(err)
	}
	rest := whole[:100:100]
	if err := again.Run(t.Context(), func(x Step) error { rest = append(rest, x); return nil }); err != nil || !reflect.DeepEqual(rest, whole) {
		t.Errorf("a replayed tuning differs: %v", err)
	}

	other := options(2)
	wrong, _ := Begin(other)
	if wrong.Replay(whole[:100]) == nil {
		t.Error("steps of another seed are replayed")
	}
	stopped := errors.New("stopped")
	s, _ = Begin(options(1))
	if err := s.Run(t.Context(), func(Step) error { return stopped }); !errors.Is(err, stopped) || s.Done() != 1 {
		t.Errorf("%v after %d iterations", err, s.Done())
	}
}

func TestImpossibleRanges(t *testing.T) {
	for _, c := range []Constant{{Start: 3, Low: 0, High: 2}, {Start: 1, Low: 1, High: 1}, {Start: 1, Low: 0, High: 2, Log: true}} {
		if _, err := Begin(Options{Constants: []Constant{c}}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
