package arena

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dojo.example/internal/slow"
)

// Checks Elo and the score interval against values computed by hand.
func TestElo(t *testing.T) {
	for score, want := range map[float64]float64{0.5: 0, 0.75: 190.8485, 0.25: -190.8485, 10.0 / 11: 400} {
		if got := EloOf(score); math.Abs(got-want) > 1e-3 {
			t.Errorf("EloOf(%v) = %v, want %v", score, got, want)
		}
		if back := ExpectedScore(want); math.Abs(back-score) > 1e-6 {
			t.Errorf("ExpectedScore(%v) = %v, want %v", want, back, score)
		}
	}
	// If a pair can have only two different scores, the interval is Wilson's. 100 pairs, half of
	// them 2:0 and half of them 0:2, are like 100 coin tosses.
	r := Result{Wins: 100, Losses: 100, Pairs: [5]float64{50, 0, 0, 0, 50}}
	if _, low, high := r.Interval(); math.Abs(low-0.4038) > 1e-3 || math.Abs(high-0.5962) > 1e-3 {
		t.Errorf("interval [%v, %v], want Wilson's for 50 of 100", low, high)
	}
	// If every pair ended 1:1, the bounds follow from a short calculation. If the mean score of a
	// pair were ½+δ, a share 2δ of all pairs would have to end 2:0. The variance would then be δ/2
	// − δ². So the bound is where nδ² = z²(δ/2 − δ²), for n = 100 pairs.
	r = Result{Wins: 100, Losses: 100, Pairs: [5]float64{2: 100}}
	delta := z * z / 2 / (100 + z*z)
	if s, low, high := r.Interval(); s != 0.5 || math.Abs(low-(0.5-delta)) > 1e-4 || math.Abs(high-(0.5+delta)) > 1e-4 {
		t.Errorf("interval [%v, %v], want 0.5 ± %v", low, high, delta)
	}
}

// The error rate of the sequential test is as low as documented, both for independent games and for
// pairs whose opening is lopsided.
func TestSPRT(t *testing.T) {
	for _, c := range []struct {
		test   SPRT
		seat   float64 // share of openings that one seat always wins
		trials int
	}{{SPRT{0, 60}, 0, 400}, {SPRT{-30, 30}, 0.3, 400}, {SPRT{0, 10}, 0.3, 200}} {
		t.Run(fmt.Sprint(c.test.Elo0, " ", c.test.Elo1), func(t *testing.T) {
			run := func(elo float64, seed uint64) (v Verdict, pairs int) {
				rng := rand.New(rand.NewPCG(seed, 0))
				// In a share c.seat of the games, the opening decides who wins. win is the
				// probability that player A wins any other game. It is chosen so that A's expected
				// score over all games is ExpectedScore(elo).
				win := 0.5 + (ExpectedScore(elo)-0.5)/(1-c.seat)
				var r Result
				for v == Continue && pairs < 100_000 {
					r.Pairs[openingDecides("", c.seat, win).draw(rng)]++
					pairs++
					_, v = c.test.Verdict(r)
				}
				return v, pairs
			}
			var accepted, rejected, pairs int
			for seed := range uint64(c.trials) {
				v, n := run(c.test.Elo0, seed)
				if pairs += n; v == Accept {
					accepted++
				}
				v, n = run(c.test.Elo1, seed)
				if pairs += n; v == Reject {
					rejected++
				}
			}
			t.Logf("of %d tests each, %d accepted a player of Elo0 and %d rejected one of Elo1, after %d games on average",
				c.trials, accepted, rejected, pairs/c.trials)
			if accepted > c.trials*9/100 || rejected > c.trials*9/100 {
				t.Error("it should be 5 %")
			}
		})
	}
}

// A pairModel is a probability model of the pairs of a match. Its function draw simulates one pair
// and returns player A's score in half points.
type pairModel struct {
	name  string
	score float64 // expected score in one game
	draw  func(rng *rand.Rand) int
}

// game returns a random result of one game in half points: 2 with probability win, 1 with
// probability draw, and otherwise 0.
func game(rng *rand.Rand, win, draw float64) int {
	switch x := rng.Float64(); {
	case x < win:
		return 2
	case x < win+draw:
		return 1
	}
	return 0
}

// independent models a match in which player A wins or draws each game with the same probabilities,
// independently of the other games.
func independent(name string, win, draw float64) pairModel {
	return pairModel{name, win + draw/2, func(rng *rand.Rand) int { return game(rng, win, draw) + game(rng, win, draw) }}
}

// seatDecides models a match in which the seat decides each game with probability seat: then First
// wins, whichever player that is. Otherwise player A wins the game with probability win.
func seatDecides(name string, seat, win float64) pairModel {
	return pairModel{name, seat/2 + (1-seat)*win, func(rng *rand.Rand) int {
		return game(rng, seat+(1-seat)*win, 0) + game(rng, (1-seat)*win, 0)
	}}
}

// openingDecides models a match in which the opening decides a pair with probability seat: then the
// same seat wins both games. Otherwise player A wins each game with probability win.
func openingDecides(name string, seat, win float64) pairModel {
	return pairModel{name, seat/2 + (1-seat)*win, func(rng *rand.Rand) int {
		if rng.Float64() < seat {
			return 2
		}
		return game(rng, win, 0) + game(rng, win, 0)
	}}
}

// play returns the result of n random pairs of the model.
func (m pairModel) play(rng *rand.Rand, n int) (r Result) {
	for range n {
		r.addPair(m.draw(rng))
	}
	return r
}

// addPair counts a pair in which player A scored the given number of half points.
func (r *Result) addPair(halves int) {
	r.Pairs[halves]++
	r.Wins += halves / 2
	r.Draws += halves % 2
	r.Losses += 2 - halves/2 - halves%2
}

// The interval contains the true score in nearly 95 % of all matches, whether chance, the seat or
// the opening decides the games.
func TestIntervalCovers(t *testing.T) {
	models := []pairModel{
		independent("fair coins", 0.5, 0),
		independent("half of all games drawn", 0.25, 0.5),
		independent("95 % drawn", 0.025, 0.95),
		independent("favourite", 0.9, 0),
		independent("strong favourite", 0.98, 0),
		independent("favourite with draws", 0.85, 0.1),
	}
	for _, seat := range []float64{0.5, 0.75, 0.95} {
		models = append(models,
			seatDecides("seat, alike", seat, 0.5), seatDecides("seat, A better", seat, 0.75), seatDecides("seat, A always", seat, 1),
			openingDecides("opening, alike", seat, 0.5), openingDecides("opening, A better", seat, 0.75))
	}
	for _, n := range []int{10, 20, 50, 200} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 20 {
				slow.Test(t, "computes intervals of many long matches")
			}
			known := make(map[[5]float64]bounds)
			for _, m := range models {
				share, width := m.coverage(n, known)
				t.Logf("%3d pairs, %-26s score %.3f ± %.3f: covered in %5.1f %%", n, m.name, m.score, width, 100*share)
				if share < 0.93 {
					t.Errorf("%d pairs, %s: the interval holds the true score %v in %.1f %% of matches", n, m.name, m.score, 100*share)
				}
			}
		})
	}
}

type bounds struct{ low, high float64 }

// coverage simulates matches of n pairs. It returns the share of matches whose confidence interval
// contains the true score, and the mean half width of the intervals.
func (m pairModel) coverage(n int, known map[[5]float64]bounds) (share, width float64) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	const matches = 4000
	for range matches {
		r := m.play(rng, n)
		b, ok := known[r.Pairs]
		if !ok {
			_, b.low, b.high = r.Interval()
			known[r.Pairs] = b
		}
		width += (b.high - b.low) / 2 / matches
		if b.low <= m.score && m.score <= b.high {
			share += 1. / matches
		}
	}
	return share, width
}

// Changing one pair does not change the width of the interval much. With an earlier formula, the
// interval for pairs that all ended 1:1 became 13 times as narrow when one of these pairs ended
// differently.
func TestIntervalDoesNotJump(t *testing.T) {
	type width struct{ score, elo float64 }
	for _, n := range []int{2, 10, 20, 50, 200} {
		known := make(map[[5]float64]width)
		width := func(pairs [5]float64) width {
			w, ok := known[pairs]
			if !ok {
				r := Result{Pairs: pairs}
				_, low, high := r.Interval()
				_, eloLow, eloHigh := r.Elo()
				w = width{high - low, eloHigh - eloLow}
				known[pairs] = w
			}
			return w
		}
		var score, elo float64
		eachCount(n, func(pairs [5]float64) {
			for from := range pairs {
				for to := range pairs {
					if from == to || pairs[from] == 0 {
						continue
					}
					next := pairs
					next[from]--
					next[to]++
					a, b := width(pairs), width(next)
					score, elo = max(score, b.score/a.score), max(elo, b.elo/a.elo)
					if !(b.score < 1.5*a.score) || !(b.elo < 2*a.elo) {
						t.Errorf("pairs %v: score ± %.4f, Elo ± %.0f; %v: ± %.4f, ± %.0f", pairs, a.score/2, a.elo/2, next, b.score/2, b.elo/2)
					}
				}
			}
		})
		t.Logf("%3d pairs: one pair makes the interval of the score at most %.2f times as wide, of Elo %.2f times", n, score, elo)
	}
}

// The interval for 200 pairs of independent games is about as wide as the interval for 400
// independent games.
func TestIntervalIsNarrow(t *testing.T) {
	for name, pairs := range map[string][5]float64{"coins": {50, 0, 100, 0, 50}, "coins and draws": {12, 50, 76, 50, 12}} {
		_, low, high := Result{Pairs: pairs}.Elo()
		if most := 680 / math.Sqrt(400) * 1.2; high-low > 2*most || low > -10 || high < 10 {
			t.Errorf("%s: Elo [%.0f, %.0f], want at most ± %.0f", name, low, high, most)
		}
	}
}

// Every result has finite Elo bounds, even without games or with only one pair.
func TestEloIsFinite(t *testing.T) {
	check := func(pairs [5]float64) {
		elo, low, high := Result{Pairs: pairs}.Elo()
		if !(-3000 < low && low <= elo && elo <= high && high < 3000 && low < high) {
			t.Errorf("pairs %v: Elo %v [%v, %v]", pairs, elo, low, high)
		}
	}
	check([5]float64{})
	for _, n := range []int{1, 2, 10, 100, 10_000} {
		eachCount(n, check)
	}
}

// eachCount calls f with possible results of n pairs. If n is small, these are all results.
// Otherwise they are the results in which at most three pairs differ from the most frequent score.
func eachCount(n int, f func(pairs [5]float64)) {
	few := min(n, 3)
	for most := range 5 {
		var place func(kind, left int, pairs [5]float64)
		place = func(kind, left int, pairs [5]float64) {
			switch {
			case kind == 5:
				pairs[most] = float64(n)
				for i, c := range pairs {
					if i != most {
						pairs[most] -= c
					}
				}
				f(pairs)
			case kind == most:
				place(kind+1, left, pairs)
			default:
				for c := range left + 1 {
					pairs[kind] = float64(c)
					place(kind+1, left-c, pairs)
				}
			}
		}
		place(0, few, [5]float64{})
	}
}
