package arena

import "math"

// Points sums up the points of A and B at the end of the games of a match, for a game with scores.
// It shows by how much games are won. Repeated games and games with a forfeit do not count. The
// margin of a game is A's points minus B's.
type Points struct {
	Games int
	A, B  int // sums over the games

	// Pairs is the number of pairs; a pair of which only one game counts is half a pair. Statistics
	// use pairs because both games of a pair have the same deal. The advantages of the deal and of
	// the seats cancel in a pair's mean margin.
	Pairs   float64
	Margins float64 // sum of the pairs' mean margins; half a pair adds half its margin
	Squares float64 // sum of the squared mean margins; half a pair adds half its square
}

// A Mean is a mean with its 95 % confidence interval.
type Mean struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// add adds a pair. games is the number of its games that count, and margin is the sum of their
// margins.
func (p *Points) add(games, margin int) {
	if games == 0 {
		return
	}
	weight := float64(float64(games) / 2) // the conversion rounds, so that the product is never fused
	mean := float64(margin) / float64(games)
	p.Games += games
	p.Pairs += weight
	p.Margins += float64(weight * mean)
	p.Squares += float64(weight * mean * mean)
}

// Margin returns the mean margin. Its interval assumes that the mean margins of pairs are normally
// distributed.
func (p Points) Margin() Mean {
	if p.Pairs == 0 {
		return Mean{}
	}
	mean := p.Margins / p.Pairs
	variance := max(0, p.Squares/p.Pairs-float64(mean*mean))
	half := float64(z * math.Sqrt(variance/p.Pairs))
	return Mean{mean, mean - half, mean + half}
}
