package sweep

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dojo.example/arena"
	"dojo.example/configs"
	"dojo.example/configs/cost"

	"gonum.org/v1/gonum/mat"
)

// Confidence intervals follow Student's and Welch's t. The expected quantiles are from statistical
// tables.
func TestEstimates(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.706, 5: 2.571, 10: 2.228} {
		if got := quantile(freedom); math.Abs(got-want) > 0.001 {
			t.Errorf("the quantile of %v degrees of freedom is %.4f, want %.3f", freedom, got, want)
		}
	}
	// The six ratings of each arm (configuration) have the variance 120. So the standard error is
	// √(120/6) = √20 for an arm's mean, and √40 for the difference of two means.
	r := ratings{arena.Ratings{Elo: []float64{10, -10, 10, -10, 10, -10, 110, 90, 110, 90, 110, 90}, Noise: mat.NewSymDense(12, nil)}}
	for i := range r.Elo {
		r.Noise.SetSym(i, i, 1)
	}
	six, more := []int{0, 1, 2, 3, 4, 5}, []int{6, 7, 8, 9, 10, 11}
	x := r.estimate(six, nil)
	if d := 2.571 * math.Sqrt(20); x.Elo != 0 || math.Abs(x.High-d) > 0.02 || x.Low != -x.High || math.Abs(x.Spread-math.Sqrt(119)) > 0.01 {
		t.Errorf("the estimate is %+v, want 0 ± %.2f with a spread of 10.91", x, d)
	}
	y := r.estimate(more, six)
	if d := 2.228 * math.Sqrt(40); y.Elo != 100 || math.Abs(y.High-100-d) > 0.02 {
		t.Errorf("the difference is %+v, want 100 ± %.2f", y, d)
	}
}

// Even if all runs have the same results, their ratings are uncertain, because the number of games
// is finite. Here, each run wins 11 of 12 points in each of four matches.
func TestAlikeIsNotCertain(t *testing.T) {
	meeting := func(a, b string) arena.Meeting { return arena.Meeting{A: a, B: b, Games: 12, Points: 11} }
	got := ratings{arena.Rate([]arena.Meeting{meeting("a/1", "b/1"), meeting("a/1", "b/2"), meeting("a/2", "b/2"), meeting("a/2", "b/1")})}
	a, b := arm{Arm: Arm{Name: "a"}}, arm{Arm: Arm{Name: "b"}}
	x := got.estimate(got.places(a, 2), got.places(b, 2))
	// The rating method adds half a drawn game against each of the four opponents. This adds two
	// games and one point, so the run has 45 of 50 points. The information is therefore 50·0.9·0.1.
	d := quantile(2) * math.Sqrt(1/(50*0.9*0.1)) * 400 / math.Ln10
	if math.Abs(x.High-x.Elo-d) > 0.1 || math.Abs(x.Elo-400*math.Log10(9)) > 0.1 || x.Spread > 0.1 {
		t.Errorf("the difference is %+v, want %.1f ± %.1f", x, 400*math.Log10(9), d)
	}
}

// In simulated sweeps of two arms (configurations), 95 % of the confidence intervals contain the
// true difference, whether or not the seeds differ in strength. Noise in the matches is not
// mistaken for a difference between seeds.
func TestIntervalsOfSweeps(t *testing.T) {
	const sweeps, seeds, games, truth = 1000, 6, 200, 50.0
	for _, spread := range []float64{0, 30} {
		rng := rand.New(rand.NewPCG(1, uint64(spread)))
		held, width, square := 0, 0.0, 0.0
		for range sweeps {
			elo := map[string]float64{}
			arms := []arm{{Arm: Arm{Name: "a"}}, {Arm: Arm{Name: "b"}}}
			s := Sweep{arms: arms, opt: Options{File: File{Seeds: seeds}}}
			for i := range 2 * seeds {
				elo[arms[i%2].player(i/2+1)] = float64(i%2)*truth + spread*rng.NormFloat64()
			}
			var played []arena.Meeting
			for _, m := range s.meetings() {
				a, b := m[0].player(m[0].seed), m[1].player(m[1].seed)
				p := arena.ExpectedScore(elo[a] - elo[b])
				won := 0.0
				games := s.opt.File.perMeeting(games)
				for range games {
					if rng.Float64() < p {
						won++
					}
				}
				played = append(played, arena.Meeting{A: a, B: b, Games: float64(games), Points: won})
			}
			r := ratings{arena.Rate(played)}
			x := r.estimate(r.places(arms[1], seeds), r.places(arms[0], seeds))
			if x.Low <= truth && truth <= x.High {
				held++
			}
			width += (x.High - x.Low) / 2 / sweeps
			square += (x.Elo - truth) * (x.Elo - truth) / sweeps
		}
		deviation := math.Sqrt(square)
		t.Logf("seeds differ by %v: %.1f %% held, ± %.1f for a deviation of %.1f", spread, 100*float64(held)/sweeps, width, deviation)
		if held < sweeps*94/100 || width > 2.7*deviation {
			t.Errorf("seeds differ by %v: %d of %d intervals hold the difference, ± %.1f for a deviation of %.1f", spread, held, sweeps, width, deviation)
		}
	}
}

// In timed matches, the two players' numbers of simulations are proportional to their speeds.
func TestSimulationsForTime(t *testing.T) {
	fast, slow := cost.Units{Play: 2000}, cost.Units{Play: 6000}
	if a, b := fast.Simulations(30e6), slow.Simulations(30e6); a != 15000 || b != 5000 {
		t.Errorf("30 ms are %d simulations of 2 µs and %d of 6 µs, want 15000 and 5000", a, b)
	}
}

// A run has as many generations as its budget pays for: the budget divided by the cost of a
// generation.
func TestGenerations(t *testing.T) {
	c := configs.Default()
	c.MCTS.Simulations, c.Selfplay.Games, c.Train.Passes, c.Gate.Games = 12, 16, 4, 8
	costs := cost.Units{Simulation: time.Microsecond, Sample: 10 * time.Microsecond, Game: 100 * time.Microsecond}
	// A generation costs 7.5 ms: 16 games of 8 plies need 128·12 simulations at 1 µs each, training
	// uses 128·4 samples (4 passes) at 10 µs each, and the gate match has 8 games at 100 µs each.
	if n := costs.Generations(12*time.Millisecond, cost.Expected(c, 8)); n != 2 {
		t.Errorf("%d generations of 7.5 ms in a budget of 12 ms, want 2", n)
	}
	if n := costs.Generations(12*time.Millisecond, cost.Expected(c, 32)); n != 1 {
		t.Errorf("with four times the plies %d generations, want 1", n)
	}
}
