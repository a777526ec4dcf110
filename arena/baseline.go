package arena

import (
	"context"
	"math/rand/v2"
	"sort"

	"dojo/engine"
)

// Random plays any legal action.
func Random() Maker {
	return func() Player { return &random{} }
}

type random struct{ rng *rand.Rand }

func (r *random) NewGame(seed uint64) { r.rng = rand.New(rand.NewPCG(seed, 0)) }

func (r *random) Choose(_ context.Context, p engine.Position) (engine.Action, error) {
	legal := p.Legal(nil)
	return legal[r.rng.IntN(len(legal))], nil
}

// Greedy takes a win; else, among the actions after which the other player
// cannot win at once, one of the best by engine.Heuristic right after it: a
// capture. If all lose, any.
func Greedy() Maker {
	return func() Player { return &greedy{} }
}

type greedy struct{ random }

func (g *greedy) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	me := p.ToMove()
	var best []engine.Action
	var bestScore int
	for _, a := range p.Legal(nil) {
		next := p.Play(a)
		if next.Outcome() == engine.WonBy(me) {
			return a, nil
		}
		if next.Outcome() == engine.WonBy(1-me) || next.ToMove() != me && winsAtOnce(next) {
			continue
		}
		score := heuristic(next) * int(me.Sign())
		if best == nil || score > bestScore {
			best, bestScore = best[:0], score
		}
		if score == bestScore {
			best = append(best, a)
		}
	}
	if best == nil {
		return g.random.Choose(ctx, p)
	}
	return best[g.rng.IntN(len(best))], nil
}

// winsAtOnce reports whether the player to move has a winning action.
func winsAtOnce(p engine.Position) bool {
	if p.Outcome() != engine.Ongoing {
		return false
	}
	for _, a := range p.Legal(nil) {
		if p.Play(a).Outcome() == engine.WonBy(p.ToMove()) {
			return true
		}
	}
	return false
}

// heuristic is who is ahead, from First's side: engine.Heuristic, else the
// margin, else nothing.
func heuristic(p engine.Position) int {
	switch s := p.State().(type) {
	case engine.Heuristic:
		return s.Heuristic()
	case engine.Scorer:
		first, second := s.Score()
		return first - second
	}
	return 0
}

// AlphaBeta looks so many plies ahead. It maximises for First and minimises
// for Second, whoever moves next, so turns may repeat. A sooner win is worth
// more; equal actions are drawn by lot.
func AlphaBeta(depth int) Maker {
	return func() Player { return &alphaBeta{depth: depth} }
}

type alphaBeta struct {
	random
	depth int
}

// win is worth more than any heuristic.
const win = 1 << 30

func (s *alphaBeta) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	best, bestValue := []engine.Action(nil), -2*win
	sign := int(p.ToMove().Sign())
	for _, c := range children(p) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		// A window from just below the best so far makes ties exact.
		low, high := bestValue-1, 2*win
		if sign < 0 {
			low, high = -high, -low
		}
		v := sign * value(c.position, s.depth-1, low, high)
		if v > bestValue {
			best, bestValue = best[:0], v
		}
		if v == bestValue {
			best = append(best, c.action)
		}
	}
	return best[s.rng.IntN(len(best))], nil
}

// value is p's from First's side, exact if it lies between low and high.
func value(p engine.Position, depth, low, high int) int {
	switch p.Outcome() {
	case engine.FirstWins:
		return win + depth
	case engine.SecondWins:
		return -win - depth
	case engine.Draw:
		return 0
	}
	if depth <= 0 {
		return heuristic(p)
	}
	first := p.ToMove() == engine.First
	best := 2 * win
	if first {
		best = -best
	}
	for _, c := range children(p) {
		v := value(c.position, depth-1, low, high)
		if first {
			best, low = max(best, v), max(low, v)
		} else {
			best, high = min(best, v), min(high, v)
		}
		if low >= high {
			break
		}
	}
	return best
}

// A child is a position after an action, and how good it looks to whoever
// chose it.
type child struct {
	action   engine.Action
	position engine.Position
	promise  int
}

// children are p's successors, wins and captures first.
func children(p engine.Position) []child {
	legal := p.Legal(nil)
	all := make([]child, len(legal))
	sign := int(p.ToMove().Sign())
	for i, a := range legal {
		next := p.Play(a)
		all[i] = child{a, next, sign * (heuristic(next) + win*int(next.Outcome().Value()))}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].promise > all[j].promise })
	return all
}
