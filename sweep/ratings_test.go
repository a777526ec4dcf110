package sweep

import (
	"math"
	"testing"

	"dojo/internal/detmath"
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
	got := ratings([]Match{match("a", "b"), match("c", "b"), match("d", "c")})
	for name, elo := range want {
		if math.Abs(got[name].elo-elo) > 0.01 {
			t.Errorf("%s is rated %.3f, want %v", name, got[name].elo, elo)
		}
	}
}

// A match without a loss leaves ratings finite.
func TestRatingsAreFinite(t *testing.T) {
	got := ratings([]Match{{pairing: pairing{A: side{Player: "a"}, B: side{Player: "b"}, Games: 10}, Score: 1}})
	// 10½ points of 11.
	if want := 400 * math.Log10(21); math.Abs(got["a"].elo-got["b"].elo-want) > 0.01 {
		t.Errorf("ten wins of ten are %.2f Elo, want %.2f", got["a"].elo-got["b"].elo, want)
	}
}

// Games that repeat an earlier one of their match say nothing new.
func TestRepeatsAreNotEvidence(t *testing.T) {
	once := Match{pairing: pairing{A: side{Player: "a"}, B: side{Player: "b"}, Games: 20}, Score: 0.75}
	many := once
	many.Games, many.Repeats = 200, 180
	if got, want := ratingOf(many), ratingOf(once); got != want {
		t.Errorf("20 games of 200 differ: rated %+v, want %+v as with 20 games", got, want)
	}
	if got, want := ratings([]Match{many})["a"], ratings([]Match{once})["a"]; got != want {
		t.Errorf("20 games of 200 differ: a is rated %+v, want %+v as with 20 games", got, want)
	}
}

// Intervals are those of Student's and Welch's t; the quantiles are from tables.
func TestEstimates(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.706, 5: 2.571, 10: 2.228} {
		if got := quantile(freedom); math.Abs(got-want) > 0.001 {
			t.Errorf("the quantile of %v degrees of freedom is %.4f, want %.3f", freedom, got, want)
		}
	}
	runs := func(variance float64, elos ...float64) (all []rating) {
		for _, elo := range elos {
			all = append(all, rating{elo, variance})
		}
		return all
	}
	six := runs(1, 10, -10, 10, -10, 10, -10) // variance 120, standard error √20
	x := estimate(six)
	if d := 2.571 * math.Sqrt(20); x.Elo != 0 || math.Abs(x.High-d) > 0.02 || x.Low != -x.High || math.Abs(x.Spread-10.95) > 0.01 {
		t.Errorf("the estimate of %v is %+v, want 0 ± %.2f with a spread of 10.95", six, x, d)
	}
	y := difference(runs(1, 110, 90, 110, 90, 110, 90), six)
	if d := 2.228 * math.Sqrt(40); y.Elo != 100 || math.Abs(y.High-100-d) > 0.02 {
		t.Errorf("the difference is %+v, want 100 ± %.2f", y, d)
	}
}

// Runs with equal results are as uncertain as their number of games: here 11 of 12 in two
// matches of 12 games each.
func TestAlikeIsNotCertain(t *testing.T) {
	match := func(a, b string) Match {
		return Match{pairing: pairing{A: side{Player: a}, B: side{Player: b}, Games: 12}, Score: 11.0 / 12}
	}
	got := ratings([]Match{match("a/1", "b/1"), match("a/1", "b/2"), match("a/2", "b/2"), match("a/2", "b/1")})
	x := difference([]rating{got["a/1"], got["a/2"]}, []rating{got["b/1"], got["b/2"]})
	// Each run scored 23 of 26 with the games that are added, which is 26·0.885·0.115
	// of information; the mean of two has half the variance, the difference twice that.
	d := quantile(2) * math.Sqrt(1/(26*23.0/26*3/26)) * 400 / math.Ln10
	if math.Abs(x.High-x.Elo-d) > 0.1 || math.Abs(x.Elo-400*math.Log10(23.0/3)) > 0.1 || x.Spread > 0.1 {
		t.Errorf("the difference is %+v, want %.1f ± %.1f", x, 400*math.Log10(23.0/3), d)
	}
}

// The simulations at equal time are in the ratio of the speeds.
func TestSimulationsForTime(t *testing.T) {
	fast, slow := Costs{Play: 2000}, Costs{Play: 6000}
	if a, b := fast.simulations(30e6), slow.simulations(30e6); a != 15000 || b != 5000 {
		t.Errorf("30 ms are %d simulations of 2 µs and %d of 6 µs, want 15000 and 5000", a, b)
	}
}
