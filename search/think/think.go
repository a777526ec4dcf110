package think

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// A Thinker searches the positions of one game as they come, and keeps the part of
// its tree that it can use again. Its root has no noise. One goroutine uses it.
type Thinker struct {
	Search      mcts.Search // its search, to ask for results after Think
	Simulations int         // number of simulations of the last Think

	driver *Driver
	rule   mcts.RootRule
	random float32
	rng    *rand.Rand
	begun  bool // the tree is of this game
}

// Options says how a thinker searches.
type Options struct {
	// Evaluator evaluates positions; nil stands for random playouts.
	Evaluator model.Evaluator

	// Lead returns by how many points a network expects First to be ahead at the end of the game. It is
	// nil if the network does not say. No search calls it; people are told.
	Lead func(p engine.Position) (float32, error)

	// Search holds the constants of the search. Its zero value stands for
	// mcts.Default() or, without an evaluator, for those of random playouts; see WithDefaults.
	Search mcts.Config

	// Random is the share of moves, from 0 to 1, that are played at random: it makes weak players.
	Random float32
}

// WithDefaults returns the options with the constants that a zero Search stands for. The CPuct of a
// search whose evaluations are random playouts is the best of 1.5, 3, 5 and 8 in matches of Onitama
// at 1,000 simulations.
func (o Options) WithDefaults() Options {
	switch {
	case o.Search != mcts.Config{}:
	case o.Evaluator == nil:
		o.Search = mcts.Default()
		o.Search.CPuct, o.Search.FPUReduction, o.Search.Final = 3, 0, mcts.Visits
	default:
		o.Search = mcts.Default()
	}
	return o
}

// WithTables returns the options of a thinker that also knows the endings of its game, if the
// game has tables of them. It makes the table before its first search of a game; see
// mcts.Tactics.
func (o Options) WithTables() Options {
	o = o.WithDefaults()
	o.Search.Tactics.Tables = true
	return o
}

// Model returns the options of a thinker that plays with a checkpoint and its constants of the
// search; see Constants.
func Model(c *model.Checkpoint, p model.Precision) (Options, error) {
	e, err := c.Evaluator(p)
	if err != nil {
		return Options{}, err
	}
	search, err := Constants(c.Meta)
	return Options{Evaluator: e, Lead: leadOf(c), Search: search}, err
}

// leadOf returns Options.Lead of a checkpoint.
func leadOf(c *model.Checkpoint) func(p engine.Position) (float32, error) {
	leads := c.Leads()
	if leads == nil {
		return nil
	}
	return func(p engine.Position) (float32, error) {
		b := model.NewBatch(leads)
		err := b.Ask(context.Background(), p)
		return p.ToMove().Sign() * b.Values[0], err
	}
}

// New returns a thinker for a game.
func New(game mcts.Game, opt Options) *Thinker {
	opt = opt.WithDefaults()
	d := NewDriver(game, opt.Search, opt.Evaluator, 1)
	t := &Thinker{Search: d.Lanes[0].Search, driver: d, rule: opt.Search.Playing(), random: opt.Random}
	t.NewGame(1)
	return t
}

// NewGame forgets the last game. All random numbers of the next come from seed.
func (t *Thinker) NewGame(seed uint64) {
	t.rng, t.begun = rand.New(rand.NewPCG(seed, 0)), false
}

// Think searches p, in which the game is not over, until the budget is used up. It
// returns which limit ended the search.
func (t *Thinker) Think(ctx context.Context, p engine.Position, b Budget) (why Stop, err error) {
	began := time.Now()
	if !t.begun || !t.Search.Follow(p) {
		t.Search.Reset(p, t.rng)
		t.begun = true
	}
	if b.Time > 0 { // the time of Follow counts too
		b.Time = max(1, b.Time-time.Since(began))
	}
	lane := t.driver.Lanes[0]
	lane.Begin(t.rule, b)
	err = t.driver.Run(ctx, func(_ *Lane, stop Stop) error {
		why = stop
		return nil
	})
	t.Simulations = lane.Simulations()
	if err != nil {
		if !errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("search %q: %w", p, err)
		}
		return why, err
	}
	return why, nil
}

// Choose returns the best action found, or any for a share of the moves (see Options.Random), and
// plays it in the thinker's search.
func (t *Thinker) Choose() engine.Action {
	action := t.Search.Root().Choose(0)
	if t.random > 0 && t.rng.Float32() < t.random {
		legal := t.Search.Position().Legal(nil)
		action = legal[t.rng.IntN(len(legal))]
	}
	t.Search.Play(action)
	return action
}
