package think

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
)

// A Thinker searches the positions of one game as they come, keeping what it
// knows from one to the next. Its root has no noise. One goroutine uses it.
type Thinker struct {
	Search mcts.Search // where it stands and what it knows; ask it after Think
	Made   int         // simulations of the last Think

	driver *Driver
	rng    *rand.Rand
	begun  bool // the search has a position of this game
}

// Options is what a thinker is made of.
type Options struct {
	// Evaluator judges positions; nil: random playouts do.
	Evaluator model.Evaluator

	// Search holds the constants of the search. Its zero value stands for
	// mcts.Default() or, without an evaluator, for Playouts().
	Search mcts.Config

	// Pending is the number of simulations whose positions are evaluated
	// together; 0 is 1. More fill the batches of a network that prefers large
	// ones, but each simulation knows less of the others: other results.
	Pending int
}

// Playouts is the constants of a search that random playouts judge. Its
// exploration, where all priors are alike, is the best of 1.5, 3, 5 and 8 in
// matches at 1,000 simulations of Onitama. There is no cache: a playout is
// worth something else each time.
func Playouts() mcts.Config {
	cfg := mcts.Default()
	cfg.CPuct, cfg.FPUReduction, cfg.Cache = 3, 0, 0
	return cfg
}

// Model is the options of a thinker that plays with a checkpoint, by the
// constants that it was trained with; a checkpoint that does not hold them plays
// by mcts.Default(). The error is that of model.Checkpoint.Evaluator.
func Model(c *model.Checkpoint, p model.Precision) (Options, error) {
	e, err := c.Evaluator(p)
	return Options{Evaluator: e, Search: Constants(c.Meta)}, err
}

// Constants is mcts.Default() with the constants that a model was trained with.
func Constants(m model.Meta) mcts.Config {
	cfg := mcts.Default()
	if s := m.Search; s != (model.Search{}) {
		cfg.CPuct, cfg.CPuctBase, cfg.FPUReduction = s.CPuct, s.CPuctBase, s.FPUReduction
	}
	return cfg
}

// New returns a thinker on the searches of a game.
func New(newSearch func(mcts.Config) mcts.Search, spec engine.Spec, opt Options) *Thinker {
	switch {
	case opt.Search != mcts.Config{}:
	case opt.Evaluator == nil:
		opt.Search = Playouts()
	default:
		opt.Search = mcts.Default()
	}
	if opt.Evaluator == nil {
		opt.Search.Cache = 0
	}
	d := NewDriver(newSearch(opt.Search), spec, opt.Evaluator, 1, opt.Pending)
	t := &Thinker{Search: d.Lanes[0].Search, driver: d}
	t.NewGame(1)
	return t
}

// NewGame forgets the last game. All randomness of the next comes from seed.
func (t *Thinker) NewGame(seed uint64) {
	t.rng, t.begun = rand.New(rand.NewPCG(seed, 0)), false
}

// Think searches p, in which the game is not over, until the budget is used
// up, and says which part of it.
func (t *Thinker) Think(ctx context.Context, p engine.Position, b Budget) (why Stop, err error) {
	began := time.Now()
	if !t.begun || !t.Search.Follow(p) {
		t.Search.Reset(p, t.rng)
		t.begun = true
	}
	if b.Time > 0 { // what it took to find p counts
		b.Time = max(1, b.Time-time.Since(began))
	}
	lane := t.driver.Lanes[0]
	lane.Begin(mcts.PUCT{}, b)
	err = t.driver.Run(ctx, func(_ *Lane, stop Stop) error {
		why = stop
		return nil
	})
	t.Made = lane.Made()
	if err != nil {
		if !errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("search %q: %w", p, err)
		}
		return why, err
	}
	return why, nil
}

// Choose is the best action found, which the thinker takes to be played.
func (t *Thinker) Choose() engine.Action {
	action := t.Search.Choose(0)
	t.Search.Play(action)
	return action
}
