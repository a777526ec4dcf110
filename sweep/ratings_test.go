package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"dojo.example/arena"
	"dojo.example/internal/detmath"
)

// Ratings recover the strengths from which results were made, also of players who did not
// meet.
func TestRatings(t *testing.T) {
	want := map[string]float64{"a": -150, "b": 0, "c": 30, "d": 120}
	match := func(a, b string) Match {
		const games = 1_000_000 // against which the game that is added counts nothing
		score := 1 / (1 + detmath.Pow(10, (want[b]-want[a])/400))
		return Match{pairing: pairing{A: side{Player: a}, B: side{Player: b}, Games: games}, Score: score}
	}
	got, place := rated([]Match{match("a", "b"), match("c", "b"), match("d", "c")})
	for name, elo := range want {
		if math.Abs(got.elo[place[name]]-elo) > 0.01 {
			t.Errorf("%s is rated %.3f, want %v", name, got.elo[place[name]], elo)
		}
	}
}

// A match without a loss leaves ratings finite.
func TestRatingsAreFinite(t *testing.T) {
	got, place := rated([]Match{{pairing: pairing{A: side{Player: "a"}, B: side{Player: "b"}, Games: 10}, Score: 1}})
	// 10½ points of 11.
	elo := got.elo[place["a"]] - got.elo[place["b"]]
	if want := 400 * math.Log10(21); math.Abs(elo-want) > 0.01 {
		t.Errorf("ten wins of ten are %.2f Elo, want %.2f", elo, want)
	}
}

// Games that repeat an earlier one of their match say nothing new.
func TestRepeatsAreNotEvidence(t *testing.T) {
	once := Match{pairing: pairing{A: side{Player: "a"}, B: side{Player: "b"}, Games: 20}, Score: 0.75}
	many := once
	many.Games, many.Repeats = 200, 180
	var a, b ratings
	a.append(many)
	b.append(once)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("20 games of 200 differ: rated %+v, want %+v as with 20 games", a, b)
	}
	a, _ = rated([]Match{many})
	b, _ = rated([]Match{once})
	if !reflect.DeepEqual(a, b) {
		t.Errorf("20 games of 200 differ: rated %+v, want %+v as with 20 games", a, b)
	}
}

// Intervals are those of Student's and Welch's t; the quantiles are from tables.
func TestEstimates(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.706, 5: 2.571, 10: 2.228} {
		if got := quantile(freedom); math.Abs(got-want) > 0.001 {
			t.Errorf("the quantile of %v degrees of freedom is %.4f, want %.3f", freedom, got, want)
		}
	}
	var r ratings
	for _, elo := range []float64{10, -10, 10, -10, 10, -10, 110, 90, 110, 90, 110, 90} { // variance 120 each, standard error √20
		r.independent(elo, 1)
	}
	six, more := []int{0, 1, 2, 3, 4, 5}, []int{6, 7, 8, 9, 10, 11}
	x := r.estimate(six)
	if d := 2.571 * math.Sqrt(20); x.Elo != 0 || math.Abs(x.High-d) > 0.02 || x.Low != -x.High || math.Abs(x.Spread-math.Sqrt(119)) > 0.01 {
		t.Errorf("the estimate is %+v, want 0 ± %.2f with a spread of 10.91", x, d)
	}
	y := r.difference(more, six)
	if d := 2.228 * math.Sqrt(40); y.Elo != 100 || math.Abs(y.High-100-d) > 0.02 {
		t.Errorf("the difference is %+v, want 100 ± %.2f", y, d)
	}
}

// Runs with equal results are as uncertain as their number of games: here 11 of 12 in four
// matches of 12 games each.
func TestAlikeIsNotCertain(t *testing.T) {
	match := func(a, b string) Match {
		return Match{pairing: pairing{A: side{Player: a}, B: side{Player: b}, Games: 12}, Score: 11.0 / 12}
	}
	got, place := rated([]Match{match("a/1", "b/1"), match("a/1", "b/2"), match("a/2", "b/2"), match("a/2", "b/1")})
	x := got.difference([]int{place["a/1"], place["a/2"]}, []int{place["b/1"], place["b/2"]})
	// With the games that are added 46 of 52 were won, which is 52·0.885·0.115 of information.
	d := quantile(2) * math.Sqrt(1/(52*23.0/26*3/26)) * 400 / math.Ln10
	if math.Abs(x.High-x.Elo-d) > 0.1 || math.Abs(x.Elo-400*math.Log10(23.0/3)) > 0.1 || x.Spread > 0.1 {
		t.Errorf("the difference is %+v, want %.1f ± %.1f", x, 400*math.Log10(23.0/3), d)
	}
}

// In simulated sweeps of two arms the intervals of the difference hold it 95 times in a
// hundred, whether seeds differ or not. The noise of the matches is not counted as a difference
// of seeds.
func TestIntervalsOfSweeps(t *testing.T) {
	const sweeps, seeds, games, truth = 1000, 6, 200, 50.0
	for _, spread := range []float64{0, 30} {
		rng := rand.New(rand.NewPCG(1, uint64(spread)))
		held, width, square := 0, 0.0, 0.0
		for range sweeps {
			elo := map[string]float64{}
			s := Sweep{arms: []arm{{planned: planned{Name: "a"}}, {planned: planned{Name: "b"}}}, opt: Options{File: File{Seeds: seeds}}}
			arms := [2][]string{}
			for i := range 2 * seeds {
				name := fmt.Sprintf("%d/%d", i%2, i/2+1)
				elo[name] = float64(i%2)*truth + spread*rng.NormFloat64()
				arms[i%2] = append(arms[i%2], name)
			}
			var played []Match
			for _, m := range s.meetings() {
				a, b := arms[1][m[0].seed-1], arms[0][m[1].seed-1]
				p := arena.ExpectedScore(elo[a] - elo[b])
				won := 0.0
				games := s.opt.File.perMeeting(games)
				for range games {
					if rng.Float64() < p {
						won++
					}
				}
				played = append(played, Match{pairing: pairing{A: side{Player: a}, B: side{Player: b}, Games: games}, Score: won / float64(games)})
			}
			r, place := rated(played)
			var places [2][]int
			for i, names := range arms {
				for _, n := range names {
					places[i] = append(places[i], place[n])
				}
			}
			x := r.difference(places[1], places[0])
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

// The simulations at equal time are in the ratio of the speeds.
func TestSimulationsForTime(t *testing.T) {
	fast, slow := Costs{Play: 2000}, Costs{Play: 6000}
	if a, b := fast.simulations(30e6), slow.simulations(30e6); a != 15000 || b != 5000 {
		t.Errorf("30 ms are %d simulations of 2 µs and %d of 6 µs, want 15000 and 5000", a, b)
	}
}
