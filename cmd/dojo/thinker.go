package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"dojo/engine"
	"dojo/games"
	"dojo/mcts"
	"dojo/model"
)

// A thinker searches the positions of one game as they come, keeping what it
// knows from one to the next.
type thinker struct {
	search  mcts.Search
	network model.Evaluator // nil: random playouts judge instead
	batch   *model.Batch
	begun   bool
}

// mostVisits bounds a search by the clock, and so its memory.
const mostVisits = 1 << 18

// newThinker returns a thinker that stops at a number of root visits.
func newThinker(game games.Entry, network model.Evaluator, simulations int) *thinker {
	cfg := mcts.Default()
	cfg.Simulations, cfg.NoiseWeight = simulations, 0
	if network == nil {
		cfg.Cache = 0 // a playout is worth something else each time
	}
	return &thinker{search: game.NewSearch(cfg), network: network, batch: model.NewBatch(game.Spec, 1)}
}

// think searches p until it has its visits, the game is proven or, where
// limit is not 0, so much time has passed; at least one simulation is made.
func (t *thinker) think(ctx context.Context, p engine.Position, limit time.Duration) error {
	began := time.Now()
	t.follow(p)
	for first := true; !t.search.Done(); first = false {
		if !first && limit > 0 && time.Since(began) >= limit {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.simulate(ctx); err != nil {
			return fmt.Errorf("search %q: %w", p, err)
		}
	}
	return nil
}

// choose is the best action found, which the thinker takes to be played.
func (t *thinker) choose() engine.Action {
	action := t.search.Choose(0)
	t.search.Play(action)
	return action
}

func (t *thinker) simulate(ctx context.Context) error {
	if !t.search.Leaf(t.batch.Planes) {
		return nil
	}
	if t.network == nil {
		clear(t.batch.Logits)
		t.search.Expand(t.batch.Logits, t.search.Playout())
		return nil
	}
	t.batch.N = 1
	if err := t.network.Evaluate(ctx, t.batch); err != nil {
		return err
	}
	t.search.Expand(t.batch.Logits, t.batch.Values[0])
	return nil
}

// follow moves the search to p: along the answer that leads there, or else it
// starts over.
func (t *thinker) follow(p engine.Position) {
	if t.begun {
		at := t.search.Position()
		if at.State() == p.State() {
			return
		}
		if at.Outcome() == engine.Ongoing {
			for _, action := range at.Legal(nil) {
				if at.Play(action).State() == p.State() {
					t.search.Play(action)
					return
				}
			}
		}
	}
	t.search.Reset(p, rand.New(rand.NewPCG(1, 0)))
	t.begun = true
}
