package arena

import (
	"context"

	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
	"dojo/think"
)

// A searcher plays by tree search and keeps its tree between moves.
type searcher struct {
	*think.Thinker
	budget think.Budget // of a move
}

func (s searcher) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	if _, err := s.Think(ctx, p, s.budget); err != nil {
		return 0, err
	}
	return s.Thinker.Choose(), nil
}

// MCTS makes players that play the best action of a search within a budget.
func MCTS(game mcts.Game, opt think.Options, b think.Budget) Maker {
	return func() Player { return searcher{think.New(game, opt), b} }
}

// Net makes players that play as AlphaZero does in matches: the best action of a search with
// the constants cfg, without noise.
func Net(game mcts.Game, e model.Evaluator, cfg mcts.Config) Maker {
	return MCTS(game, think.Options{Evaluator: e, Search: cfg}, think.Budget{Visits: cfg.Simulations})
}
