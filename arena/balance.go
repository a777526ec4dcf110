package arena

import (
	"context"

	"dojo/engine"
	"dojo/mcts"
	"dojo/think"
)

// Balanced returns a judge of openings for [Options].Balanced: a search of so many visits
// from each, which begins anew. An opening is balanced if the search's value, from -1 to
// 1, is edge away from 0 at most. Where most openings are won for one of the seats, both
// games of a pair are won from it whoever plays, and a match of these tells little.
func Balanced(newSearch func(mcts.Config) mcts.Search, spec engine.Spec, opt think.Options, visits int, edge float32) func(context.Context, engine.Position) (bool, error) {
	judge := think.New(newSearch, spec, opt)
	return func(ctx context.Context, p engine.Position) (bool, error) {
		judge.NewGame(1)
		if _, err := judge.Think(ctx, p, think.Budget{Visits: visits}); err != nil {
			return false, err
		}
		v := judge.Search.Value()
		return max(v, -v) <= edge, nil
	}
}
