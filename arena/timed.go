package arena

import (
	"context"
	"time"

	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
	"dojo/think"
)

// Timed plays by a search that thinks about each action for so long.
func Timed(newSearch func(mcts.Config) mcts.Search, spec engine.Spec, e model.Evaluator, limit time.Duration) Maker {
	return func() Player {
		return &timed{think.New(newSearch, spec, e, think.MostVisits), limit}
	}
}

type timed struct {
	thinker *think.Thinker
	limit   time.Duration
}

func (t *timed) NewGame(uint64) { t.thinker.Forget() }

func (t *timed) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	if err := t.thinker.Think(ctx, p, t.limit); err != nil {
		return 0, err
	}
	return t.thinker.Choose(), nil
}
