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

// A Thinker searches the positions of one game, one after the other. From one position to the next
// it keeps the part of its tree that is still useful. It adds no noise at the root. Only one
// goroutine at a time may use a Thinker.
type Thinker struct {
	Search      mcts.Search // the search itself; read its results after Think
	Simulations int         // number of simulations in the last Think

	driver *Driver
	rule   mcts.RootRule
	random float32
	rng    *rand.Rand
	begun  bool // whether the tree belongs to the current game (false after NewGame)
}

// Options configures a Thinker.
type Options struct {
	// Evaluator evaluates positions. Nil means random playouts.
	Evaluator model.Evaluator

	// Lead returns how many points the network expects First to be ahead of Second at the end of
	// the game. It is nil if the network has no such output. Searches do not use Lead; programs
	// show it to people.
	Lead func(p engine.Position) (float32, error)

	// Search holds the constants of the search. The zero value means mcts.Default(), or the
	// constants for random playouts if Evaluator is nil; see WithDefaults.
	Search mcts.Config

	// Random is the share of moves that are random, from 0 to 1. Use it to make weak players.
	Random float32
}

// WithDefaults returns o, but replaces a zero Search by the default constants. For random playouts
// it sets CPuct to 3. In matches of Onitama with 1,000 simulations, 3 was the best of the values
// 1.5, 3, 5 and 8.
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

// WithTables returns o with Tactics.Tables set: the Thinker also uses the table of its game's
// endings, if the game has one. It builds the table before its first search of a game; see
// mcts.Tactics.
func (o Options) WithTables() Options {
	o = o.WithDefaults()
	o.Search.Tactics.Tables = true
	return o
}

// Model returns the options for playing with a checkpoint. The search uses the constants that the
// checkpoint holds for players; see Constants.
func Model(c *model.Checkpoint, p model.Precision) (Options, error) {
	e, err := c.Evaluator(p)
	if err != nil {
		return Options{}, err
	}
	search, err := Constants(c.Meta)
	return Options{Evaluator: e, Lead: leadOf(c), Search: search}, err
}

// leadOf returns the function Options.Lead for a checkpoint. It returns nil if the network does not
// predict the lead in points.
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

// New returns a Thinker for a game.
func New(game mcts.Game, opt Options) *Thinker {
	opt = opt.WithDefaults()
	d := NewDriver(game, opt.Search, opt.Evaluator, 1)
	t := &Thinker{Search: d.Lanes[0].Search, driver: d, rule: opt.Search.Playing(), random: opt.Random}
	t.NewGame(1)
	return t
}

// NewGame discards everything that the Thinker knows about the last game. In the next game, it
// takes all its random numbers from a generator with the given seed.
func (t *Thinker) NewGame(seed uint64) {
	t.rng, t.begun = rand.New(rand.NewPCG(seed, 0)), false
}

// Think searches p until the budget is used up, and returns the limit that ended the search. The
// game must not be over in p.
func (t *Thinker) Think(ctx context.Context, p engine.Position, b Budget) (why Stop, err error) {
	began := time.Now()
	if !t.begun || !t.Search.Follow(p) {
		t.Search.Reset(p, t.rng)
		t.begun = true
	}
	if b.Time > 0 { // the time that Follow took counts too
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

// Choose returns the best action that the last Think found. With probability Options.Random it
// returns a random action instead. It also plays the action in the Thinker's search.
func (t *Thinker) Choose() engine.Action {
	action := t.Search.Root().Choose(0)
	if t.random > 0 && t.rng.Float32() < t.random {
		legal := t.Search.Position().Legal(nil)
		action = legal[t.rng.IntN(len(legal))]
	}
	t.Search.Play(action)
	return action
}
