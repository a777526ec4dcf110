package arena

import (
	"context"
	"time"

	"dojo/alphabeta"
	"dojo/engine"
)

// AlphaBetaBudget limits the search of a turn by one of its fields; the others are 0.
type AlphaBetaBudget struct {
	Depth int // plies, some of which are reduced
	Nodes int
	Time  time.Duration
}

// AlphaBeta returns the player of package alphabeta, a classical search as the fixed opponent
// of trained bots. By depth or nodes it plays the same on every machine.
func AlphaBeta(newSearch func() alphabeta.Searcher, b AlphaBetaBudget) Maker {
	return func() Player { return &alphaBeta{newSearch(), b} }
}

type alphaBeta struct {
	search alphabeta.Searcher
	budget AlphaBetaBudget
}

func (y *alphaBeta) NewGame(uint64) { y.search.Reset() }

func (y *alphaBeta) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	begin := time.Now()
	stop := func() bool {
		return ctx.Err() != nil || y.budget.Time > 0 && time.Since(begin) >= y.budget.Time
	}
	found := y.search.Search(p, alphabeta.Limit{Depth: y.budget.Depth, Nodes: y.budget.Nodes, Stop: stop})
	return found.Action, ctx.Err()
}
