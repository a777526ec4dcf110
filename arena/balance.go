package arena

import (
	"context"

	"dojo.example/engine"
	"dojo.example/mcts"
	"dojo.example/think"
)

// Balanced returns a function for [Options].Balanced. It searches each opening with the given
// number of visits, and calls it balanced if the value, from -1 to 1, is at most edge away
// from 0. In an opening that is won for one of the seats, each player wins the game in which it
// has that seat, so that the pair says little about the players.
func Balanced(game mcts.Game, opt think.Options, visits int, edge float32) func(context.Context, engine.Position) (bool, error) {
	judge := think.New(game, opt)
	return func(ctx context.Context, p engine.Position) (bool, error) {
		judge.NewGame(1)
		if _, err := judge.Think(ctx, p, think.Budget{Visits: visits}); err != nil {
			return false, err
		}
		v := judge.Search.Value()
		return max(v, -v) <= edge, nil
	}
}
