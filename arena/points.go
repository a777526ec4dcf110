package arena

import (
	"math"

	"dojo/engine"
)

// Points is what A and B had in the end, in a game with scores: how far a game was won,
// where [Result] else says only who won it. Games that repeat an earlier one, or were
// lost otherwise than by the rules, are left out.
// The margin of a game is what A had more than B.
type Points struct {
	Games int
	A, B  int // sums over the games

	// Pairs is the number of pairs; one of which only one game counts is half a pair.
	// The games of a pair share their deal and swap the seats, so that what these are
	// worth cancels out in the means.
	Pairs   float64
	Margins float64 // sum of the pairs' mean margins; half a pair counts half
	Squares float64 // sum of their squares, likewise
}

// A Mean is a mean with its interval of 95 %.
type Mean struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// pointsOf are the points that First and Second have, nil in a game without scores.
func pointsOf(p engine.Position) []int {
	if s, ok := p.State().(engine.Scorer); ok {
		first, second := s.Score()
		return []int{first, second}
	}
	return nil
}

// add counts the two games of a pair.
func (p *Points) add(pair []Record) {
	games, margins := 0, 0
	for _, g := range pair {
		if g.Repeat || g.Forfeit != nil || len(g.Points) != 2 {
			continue
		}
		a := g.seatOfA()
		mine, others := g.Points[a], g.Points[1-a]
		p.A, p.B = p.A+mine, p.B+others
		games++
		margins += mine - others
	}
	if games == 0 {
		return
	}
	weight := float64(float64(games) / 2) // rounded, never fused
	p.Games += games
	p.Pairs += weight
	mean := float64(margins) / float64(games)
	p.Margins += float64(weight * mean)
	p.Squares += float64(weight * mean * mean)
}

// Margin is by how many points A is ahead at the end of a game, on average. Its interval
// is that of the normal distribution.
func (p Points) Margin() Mean {
	if p.Pairs == 0 {
		return Mean{}
	}
	mean := p.Margins / p.Pairs
	variance := max(0, p.Squares/p.Pairs-float64(mean*mean))
	half := float64(z * math.Sqrt(variance/p.Pairs))
	return Mean{mean, mean - half, mean + half}
}
