package arena

import (
	"math"

	"dojo/engine"
	"dojo/internal/detmath"
)

// Result counts a match from A's side.
type Result struct {
	Wins, Losses, Draws int

	// Pairs counts pairs of games by what A scored in them: 0, ½, 1, 1½, 2.
	// The two games of an opening are not independent; pairs are.
	Pairs [5]int

	// Forfeits counts games that A, and that B, lost otherwise than by the
	// rules; they are among Losses and Wins.
	Forfeits [2]int

	// Seats is what A scored as First and as Second, in half points: in a
	// lopsided game the two differ more than the players do.
	Seats [2]int
}

// add counts the games of a pair.
func (r *Result) add(games []Record) {
	total := 0
	for _, g := range games {
		a := engine.Second
		if g.AFirst {
			a = engine.First
		}
		halves := 0
		switch g.Outcome {
		case engine.WonBy(a):
			r.Wins++
			halves = 2
		case engine.Draw:
			r.Draws++
			halves = 1
		default:
			r.Losses++
		}
		if g.Forfeit != nil {
			loser := 0
			if g.Outcome == engine.WonBy(a) {
				loser = 1
			}
			r.Forfeits[loser]++
		}
		r.Seats[a] += halves
		total += halves
	}
	r.Pairs[total]++
}

// Games is the number of games.
func (r Result) Games() int { return r.Wins + r.Losses + r.Draws }

// Score is A's share of the points, ½ before any game.
func (r Result) Score() float64 {
	if r.Games() == 0 {
		return 0.5
	}
	return (float64(r.Wins) + float64(float64(r.Draws)/2)) / float64(r.Games())
}

// Seat is A's share of the points of the games in which A was p, ½ before any.
func (r Result) Seat(p engine.Player) float64 {
	if r.Games() == 0 {
		return 0.5
	}
	return float64(r.Seats[p]) / float64(r.Games()) // half of the games, two half points each
}

// z is the two-sided 95 % quantile of the normal distribution.
const z = 1.959964

// Interval is the score with its 95 % interval: Wilson's, for as many
// independent games as would vary as much as the pairs did. Where all pairs
// came out alike that number is taken to be the number of pairs, so that the
// interval has a width even at 0 and 100 %.
func (r Result) Interval() (score, low, high float64) {
	score = r.Score()
	if r.Games() == 0 {
		return score, 0, 1
	}
	mean, variance, n := r.moments(0)
	if variance > 0 && mean > 0 && mean < 1 {
		n = mean * (1 - mean) / (variance / n)
	}
	centre := (score + z*z/(2*n)) / (1 + z*z/n)
	width := float64(z / (1 + z*z/n) * math.Sqrt(score*(1-score)/n+z*z/(4*n*n)))
	return score, max(0, centre-width), min(1, centre+width)
}

// moments is the mean and variance of the pairs' scores, in [0, 1], with so
// many pairs of each kind added.
func (r Result) moments(prior float64) (mean, variance, n float64) {
	for i, c := range r.Pairs {
		x, w := float64(i)/4, float64(c)+prior
		n += w
		mean += float64(w * x)
		variance += float64(w * x * x)
	}
	mean /= n
	return mean, max(0, variance/n-float64(mean*mean)), n
}

// Elo is the difference in rating that the score speaks of, with its 95 %
// interval. Scores of 0 and 100 % are taken for half a game less, so that all
// three are finite.
func (r Result) Elo() (elo, low, high float64) {
	if r.Games() == 0 {
		return 0, -EloOf(0.999), EloOf(0.999)
	}
	score, from, to := r.Interval()
	edge := 0.5 / float64(r.Games()+1)
	bound := func(s float64) float64 { return EloOf(min(1-edge, max(edge, s))) }
	return bound(score), bound(from), bound(to)
}

// EloOf is the difference in rating at which a score is expected:
// 400·log10(s/(1−s)).
func EloOf(score float64) float64 { return 400 / math.Ln10 * detmath.Log(score/(1-score)) }

// expected is the score at a difference in rating.
func expected(elo float64) float64 { return 1 / (1 + detmath.Pow(10, -elo/400)) }
