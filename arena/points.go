package arena

import "math"

// Points counts the points of A and B at the end of the games of a match, in a game with scores:
// by how much each game was won. Games that repeat an earlier one, and games with a forfeit, are
// left out. The margin of a game is A's points less B's.
type Points struct {
	Games int
	A, B  int // sums over the games

	// Pairs is the number of pairs, where a pair of which only one game counts is half a
	// pair. Statistics count pairs because both games of a pair have the same deal: what
	// the deal and the seats are worth cancels out in a pair's mean margin.
	Pairs   float64
	Margins float64 // sum of the pairs' mean margins, half of it for half a pair
	Squares float64 // sum of the squares of the mean margins, likewise
}

// A Mean is a mean with its interval of 95 %.
type Mean struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// add counts the games of a pair that count. margin is the sum of their margins.
func (p *Points) add(games, margin int) {
	if games == 0 {
		return
	}
	weight := float64(float64(games) / 2) // rounded, never fused
	mean := float64(margin) / float64(games)
	p.Games += games
	p.Pairs += weight
	p.Margins += float64(weight * mean)
	p.Squares += float64(weight * mean * mean)
}

// Margin returns the mean margin. Its interval takes the mean margins of pairs to be normally
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
