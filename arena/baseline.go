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

// Greedy looks one action ahead. It takes a win if there is one. Otherwise it
// leaves out the actions that let the other player win at once and plays one
// of those that engine.Heuristic likes best right after it, such as a
// capture. If every action loses, it plays any.
func Greedy() Maker {
	return func() Player { return &greedy{} }
}

type greedy struct{ random }

func (g *greedy) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	me := p.ToMove()
	var best []engine.Action
	var bestScore int
	for _, a := range p.Legal(nil) {
		if err := ctx.Err(); err != nil { // with hundreds of actions and of answers to each, the loop takes long
			return 0, err
		}
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

// heuristic estimates who is ahead, positive for First: by engine.Heuristic, or
// by the difference of the scores; it is 0 in a game that has neither.
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

// AlphaBeta looks depth plies ahead. It maximises for First and minimises for
// Second, whoever moves next, so that a player may move twice in a row. A sooner win
// is worth more; among equal actions one is drawn at random.
func AlphaBeta(depth int) Maker {
	return func() Player { return &alphaBeta{depth: depth} }
}

type alphaBeta struct {
	random
	depth int

	ctx       context.Context // of the search that is running
	unchecked int             // positions made since ctx was last checked
	err       error           // the error of ctx; once it is set, values are invalid
}

// win is worth more than any heuristic.
const win = 1 << 30

// checkInterval is the number of positions after which the context is checked. They take a few
// milliseconds.
const checkInterval = 4096

func (s *alphaBeta) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	s.ctx, s.unchecked, s.err = ctx, 0, ctx.Err()
	best, bestValue := []engine.Action(nil), -2*win
	sign := int(p.ToMove().Sign())
	for _, c := range s.children(p) {
		// The window begins just below the best value so far, so that an
		// action that is as good gets its exact value too.
		low, high := bestValue-1, 2*win
		if sign < 0 {
			low, high = -high, -low
		}
		v := sign * s.value(c.position, s.depth-1, low, high)
		if s.err != nil {
			return 0, s.err
		}
		if v > bestValue {
			best, bestValue = best[:0], v
		}
		if v == bestValue {
			best = append(best, c.action)
		}
	}
	return best[s.rng.IntN(len(best))], nil
}

// value returns the value of p for First after depth more plies. It is exact if
// it lies between low and high; otherwise it is a bound of the exact value.
func (s *alphaBeta) value(p engine.Position, depth, low, high int) int {
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
	for _, c := range s.children(p) {
		v := s.value(c.position, depth-1, low, high)
		if first {
			best, low = max(best, v), max(low, v)
		} else {
			best, high = min(best, v), min(high, v)
		}
		if low >= high || s.err != nil {
			break
		}
	}
	return best
}

// A child is a position after an action. Its promise is its heuristic value for the
// player who chose the action.
type child struct {
	action   engine.Action
	position engine.Position
	promise  int
}

// children returns p's successors, the most promising first, and checks the context
// every checkInterval positions.
func (s *alphaBeta) children(p engine.Position) []child {
	legal := p.Legal(nil)
	if s.unchecked += len(legal); s.unchecked >= checkInterval {
		s.unchecked, s.err = 0, s.ctx.Err()
	}
	all := make([]child, len(legal))
	sign := int(p.ToMove().Sign())
	for i, a := range legal {
		next := p.Play(a)
		all[i] = child{a, next, sign * (heuristic(next) + win*int(next.Outcome().Value()))}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].promise > all[j].promise })
	return all
}
