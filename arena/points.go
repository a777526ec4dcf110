package arena

import (
	"math"

	"dojo/engine"
)

// Points is what A and B had in the end, in a game with scores: how far a game was won,
// where [Result] else says only who won it. Games that repeat an earlier one, or were
// lost otherwise than by the rules, are left out.
//
// The margin of a game is what A had more than B. Its signed root is √margin, or
// −√−margin if A had less: 3 for nine points, −2 for minus four.
type Points struct {
	Games int
	A, B  int // sums over the games
	Leads int // sum of the margins without their signs, which are the roots' squares

	// Pairs is the number of pairs; one of which only one game counts is half a pair.
	// The games of a pair share their deal and swap the seats, so that what these are
	// worth cancels out in the means.
	Pairs   float64
	Margins Moments // of the pairs' mean margins
	Roots   Moments // of the pairs' mean signed roots
}

// Moments are sums over pairs, of a number for each and of its square; half a pair
// counts half.
type Moments struct{ Sum, Squares float64 }

func (m *Moments) add(x, weight float64) {
	m.Sum += float64(weight * x)
	m.Squares += float64(weight * x * x)
}

// of returns the mean and the variance of the numbers of n pairs.
func (m Moments) of(n float64) (mean, variance float64) {
	mean = m.Sum / n
	return mean, max(0, m.Squares/n-float64(mean*mean))
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
	games, margins, roots := 0, 0, 0.0
	for _, g := range pair {
		if g.Repeat || g.Forfeit != nil || len(g.Points) != 2 {
			continue
		}
		a := g.seatOfA()
		mine, others := g.Points[a], g.Points[1-a]
		p.A, p.B = p.A+mine, p.B+others
		p.Leads += max(mine-others, others-mine)
		games++
		margins += mine - others
		roots += signedRoot(mine - others)
	}
	if games == 0 {
		return
	}
	weight := float64(float64(games) / 2) // rounded, never fused
	p.Games += games
	p.Pairs += weight
	p.Margins.add(float64(margins)/float64(games), weight)
	p.Roots.add(roots/float64(games), weight)
}

func signedRoot(x int) float64 {
	if x < 0 {
		return -math.Sqrt(float64(-x))
	}
	return math.Sqrt(float64(x))
}

// Margin is by how many points A is ahead at the end of a game, on average. Its interval
// is that of the normal distribution.
func (p Points) Margin() Mean {
	if p.Pairs == 0 {
		return Mean{}
	}
	mean, variance := p.Margins.of(p.Pairs)
	half := float64(z * math.Sqrt(variance/p.Pairs))
	return Mean{mean, mean - half, mean + half}
}

// Ahead reports whether A is ahead by signed roots, which is what [SPRT.VerdictByPoints]
// judges.
func (p Points) Ahead() bool { return p.Roots.Sum > 0 }
