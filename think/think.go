// Package think drives a search with a network until it has thought enough.
package think

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
)

// A Thinker searches the positions of one game as they come, keeping what it
// knows from one to the next. One goroutine uses it.
type Thinker struct {
	Search  mcts.Search     // where it stands and what it knows; ask it after Think
	Made    int             // simulations of the last Think
	network model.Evaluator // nil: random playouts judge instead
	batch   *model.Batch
	begun   bool
}

// MostVisits bounds a search by the clock, and so its memory.
const MostVisits = 1 << 18

// New returns a thinker on the searches of a game that stops at a number of
// root visits. Without a network, nil, random playouts judge.
func New(newSearch func(mcts.Config) mcts.Search, spec engine.Spec, network model.Evaluator, simulations int) *Thinker {
	cfg := mcts.Default()
	cfg.Simulations, cfg.NoiseWeight = simulations, 0
	if network == nil {
		cfg.Cache = 0 // a playout is worth something else each time
	}
	return &Thinker{Search: newSearch(cfg), network: network, batch: model.NewBatch(spec, 1)}
}

// Think searches p until it has its visits, the game is proven or, where
// limit is not 0, so much time has passed; at least one simulation is made.
func (t *Thinker) Think(ctx context.Context, p engine.Position, limit time.Duration) error {
	began := time.Now()
	t.follow(p)
	for t.Made = 0; !t.Search.Done(); t.Made++ {
		if t.Made > 0 && limit > 0 && time.Since(began) >= limit {
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

// Choose is the best action found, which the thinker takes to be played.
func (t *Thinker) Choose() engine.Action {
	action := t.Search.Choose(0)
	t.Search.Play(action)
	return action
}

func (t *Thinker) simulate(ctx context.Context) error {
	if !t.Search.Leaf(t.batch.Planes) {
		return nil
	}
	if t.network == nil {
		clear(t.batch.Logits)
		t.Search.Expand(t.batch.Logits, t.Search.Playout())
		return nil
	}
	t.batch.N = 1
	if err := t.network.Evaluate(ctx, t.batch); err != nil {
		return err
	}
	t.Search.Expand(t.batch.Logits, t.batch.Values[0])
	return nil
}

// follow moves the search to p: along the answers that lead there, or else it
// starts over.
func (t *Thinker) follow(p engine.Position) {
	if t.begun && mcts.Follow(t.Search, p) {
		return
	}
	t.Search.Reset(p, rand.New(rand.NewPCG(1, 0)))
	t.begun = true
}

// Forget makes the next search start over.
func (t *Thinker) Forget() { t.begun = false }
