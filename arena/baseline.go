package arena

import (
	"context"
	"math/rand/v2"

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
// leaves out the actions that let the other player win at once and plays the
// one after which engine.Heuristic is best, such as a capture; equal ones at random. If every action loses, it plays any.
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
