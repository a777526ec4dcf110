package arena

import "dojo/engine"

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
	return (float64(r.Wins) + float64(r.Draws)/2) / float64(r.Games())
}

// Seat is A's share of the points of the games in which A was p, ½ before any.
func (r Result) Seat(p engine.Player) float64 {
	if r.Games() == 0 {
		return 0.5
	}
	return float64(r.Seats[p]) / float64(r.Games()) // half of the games, two half points each
}

// counted is the number of pairs.
func (r Result) counted() (n float64) {
	for _, c := range r.Pairs {
		n += float64(c)
	}
	return n
}

// moments is the mean and variance of the pairs' scores, from 0 to 1, after
// prior pairs of each kind were added to the n that were played.
func (r Result) moments(prior float64) (mean, variance, n float64) {
	for i, c := range r.Pairs {
		x, w := float64(i)/4, float64(c)+prior
		n += w
		mean += w * x
		variance += w * x * x
	}
	mean /= n
	return mean, max(0, variance/n-mean*mean), n
}
