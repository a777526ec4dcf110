package arena

import (
	"context"
	"time"

	"dojo/alphabeta"
	"dojo/engine"
)

// yardstickBudget limits the search of a turn, by a number of nodes or a time; the other is 0.
type yardstickBudget struct {
	nodes int
	time  time.Duration
}

// Yardstick returns the player of package alphabeta, a classical search as the fixed opponent
// of trained bots. With a budget in nodes it plays the same on every machine.
func Yardstick(newSearch func() alphabeta.Searcher, b yardstickBudget) Maker {
	return func() Player { return &yardstickPlayer{newSearch(), b} }
}

type yardstickPlayer struct {
	search alphabeta.Searcher
	budget yardstickBudget
}

func (y *yardstickPlayer) NewGame(uint64) { y.search.Reset() }

func (y *yardstickPlayer) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	begin := time.Now()
	stop := func() bool {
		return ctx.Err() != nil || y.budget.time > 0 && time.Since(begin) >= y.budget.time
	}
	found := y.search.Search(p, alphabeta.Limit{Nodes: y.budget.nodes, Stop: stop})
	return found.Action, ctx.Err()
}
