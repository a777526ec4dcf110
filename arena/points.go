package arena

import "math"

// Points sums up the points that players A and B have at the end of the games of a match, if the
// game has scores. The points show by how much games are won. Repeated games and games with a
// forfeit do not count. The margin of a game is the points of player A minus the points of player
// B.
type Points struct {
	Games int
	A, B  int // sums of the points of players A and B over the games

	// Pairs is the number of pairs; a pair of which only one game counts is half a pair. Statistics
	// use pairs because both games of a pair begin with the same deal. In the mean margin of a
	// pair, the advantages of the deal and of the seats cancel out.
	Pairs   float64
	Margins float64 // sum of the mean margins of the pairs; half a pair counts half
	Squares float64 // sum of the squared mean margins of the pairs; half a pair counts half
}

// A Mean is a mean with its 95 % confidence interval.
type Mean struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// add adds a pair. games is the number of the pair's games that count, and margin is the sum of the
// margins of these games.
func (p *Points) add(games, margin int) {
	if games == 0 {
		return
	}
	// The conversion to float64 forces Go to round here. Otherwise Go may combine this operation
	// with a later addition, and the result would depend on the machine.
	weight := float64(float64(games) / 2)
	mean := float64(margin) / float64(games)
	p.Games += games
	p.Pairs += weight
	p.Margins += float64(weight * mean)
	p.Squares += float64(weight * mean * mean)
}

// Margin returns the mean margin with a confidence interval. The interval assumes that the mean
// margins of pairs are normally distributed.
func (p Points) Margin() Mean {
	if p.Pairs == 0 {
		return Mean{}
	}
	mean := p.Margins / p.Pairs
	variance := max(0, p.Squares/p.Pairs-float64(mean*mean))
	half := float64(z * math.Sqrt(variance/p.Pairs))
	return Mean{mean, mean - half, mean + half}
}
