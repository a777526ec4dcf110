// Package think runs searches with a network: it has the one loop of self-play,
// matches, bots, analysis and the browser. A [Driver] runs many searches, its lanes,
// and evaluates their positions in one batch; each search goes on until its [Budget]
// is used up. A [Thinker] is a driver of one search that follows a game.
package think

import (
	"context"
	"math"
	"slices"
	"time"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// A Budget says how long a search of one position goes on: until one of its limits
// is reached. Without limits it ends when the position is proven, the tree is full or
// the context ends.
type Budget struct {
	Visits int           // visits of the root, those kept from earlier searches included; 0: no limit
	Time   time.Duration // from Begin on, without the time of Search.Prepare; at least one simulation is made; 0: no limit
}

// Stop says why a search ended.
type Stop uint8

// The reasons why a search ends.
const (
	Going  Stop = iota // it has not ended
	Proven             // the outcome under best play is known
	Visits             // the root has the budget's visits
	Time               // the budget's time is over
	Full               // the tree has used up its memory
)

func (s Stop) String() string {
	return [...]string{"going on", "the game is proven", "all simulations are done", "the time is over", "the tree is full"}[s]
}

// Driver runs searches, its lanes, side by side: every lane looks for positions to
// evaluate, one batch evaluates them all, and so on. The results of a lane depend
// neither on the other lanes nor on their number. One goroutine uses it.
type Driver struct {
	Lanes       []*Lane
	Evaluations int // number of positions evaluated
	Simulations int // number of simulations of searches that have ended

	game     engine.Game
	legal    []engine.Action // scratch: the legal actions of a root
	playouts bool            // random ones give the values
	batch    *model.Batch
	asking   []*Lane // the lane that asked for each row of the batch
}

// Lane is one search of a driver.
type Lane struct {
	Search mcts.Search

	budget Budget
	clock  clock
	before int  // the root's visits at Begin
	fresh  bool // Search.Prepare has not been called since Begin
	idle   bool // the search has ended, or has not begun
}

// NewDriver returns a driver whose lanes search a game. If e is nil, all priors are equal and a position's value is the result of one random game
// from there.
func NewDriver(game mcts.Game, cfg mcts.Config, e model.Evaluator, lanes int) *Driver {
	playouts := e == nil
	if playouts {
		e = model.Uniform // its logits, and the playouts' values
	}
	d := &Driver{game: game.Game, playouts: playouts, batch: model.NewBatch(e)}
	for range lanes {
		d.Lanes = append(d.Lanes, &Lane{Search: game.NewSearch(cfg), idle: true})
	}
	return d
}

// Begin starts, or continues, the search of the position at the root of the lane's
// search, by a rule for the root and up to a budget.
func (l *Lane) Begin(rule mcts.RootRule, b Budget) {
	visits := b.Visits
	if visits == 0 {
		visits = math.MaxInt
	}
	l.budget, l.clock = b, clock{began: time.Now()}
	l.Search.Begin(rule, visits)
	l.before, l.idle, l.fresh = l.Search.Visits(), false, true
}

// prepare checks the legal actions of a lane's root, since one without any would have no best one, and
// lets the search make what it needs for the game, if that was not done since Begin. The time that
// this takes is not part of the budget.
func (d *Driver) prepare(ctx context.Context, l *Lane) (err error) {
	if !l.fresh {
		return nil
	}
	if d.legal, err = d.game.Choices(l.Search.Position(), d.legal[:0]); err != nil {
		return err
	}
	l.fresh = false
	began := time.Now()
	if !l.Search.Prepare(func() bool { return ctx.Err() != nil }) {
		return ctx.Err()
	}
	l.clock.began = l.clock.began.Add(time.Since(began))
	return nil
}

// Simulations is the number of simulations since Begin.
func (l *Lane) Simulations() int { return l.Search.Visits() - l.before }

// stop returns why the search has to end, or Going.
func (l *Lane) stop() Stop {
	s := l.Search
	if !s.Done() {
		if n := l.Simulations(); l.budget.Time > 0 && n > 0 && l.clock.reaches(l.budget.Time, n) {
			return Time
		}
		return Going
	}
	switch {
	case s.Proven() != engine.Ongoing:
		return Proven
	case l.budget.Visits > 0 && s.Visits() >= l.budget.Visits:
		return Visits
	}
	return Full
}

// Run searches in the lanes that have begun until all are idle. When the search of a
// lane ends it calls ended, which may play an action and Begin the next search;
// otherwise the lane is idle. If ctx ends, Run returns its error, about one evaluation
// later. After an error all lanes are idle.
func (d *Driver) Run(ctx context.Context, ended func(l *Lane, why Stop) error) error {
	defer func() {
		for _, l := range d.Lanes {
			d.end(l)
		}
	}()
	for {
		d.asking = d.asking[:0]
		d.batch.Input.Reset()
		for _, l := range d.Lanes {
			if err := d.advance(ctx, l, ended); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(d.asking) == 0 {
			// When a lane ended, another one may have begun that had had its turn.
			if !slices.ContainsFunc(d.Lanes, func(l *Lane) bool { return !l.idle }) {
				return nil
			}
			continue
		}
		if err := d.answer(ctx); err != nil {
			return err
		}
	}
}

// end makes a lane idle and counts its simulations.
func (d *Driver) end(l *Lane) {
	if !l.idle {
		l.idle = true
		d.Simulations += l.Simulations()
	}
}

// advance searches in a lane until it needs an evaluation or is idle.
func (d *Driver) advance(ctx context.Context, l *Lane, ended func(*Lane, Stop) error) error {
	for n := 1; !l.idle; n++ {
		if err := d.prepare(ctx, l); err != nil {
			return err
		}
		if n%256 == 0 && ctx.Err() != nil { // the loop is long if no position needs an evaluation
			return ctx.Err()
		}
		if why := l.stop(); why != Going {
			d.end(l)
			if err := ended(l, why); err != nil {
				return err
			}
			continue
		}
		if l.Search.Leaf(&d.batch.Input) {
			d.asking = append(d.asking, l)
			return nil
		}
	}
	return nil
}

// answer evaluates the batch and gives each row's results to the lane that asked.
func (d *Driver) answer(ctx context.Context) error {
	b := d.batch
	if err := b.Evaluate(ctx); err != nil {
		return err
	}
	for row, l := range d.asking {
		if d.playouts {
			v, err := l.Search.RandomPlayout()
			if err != nil {
				return err
			}
			b.Values[row] = v
		}
		from, to := b.Input.LegalRange(row, row+1)
		l.Search.Expand(b.Input.Legal[from:to], b.Logits[from:to], b.Values[row])
	}
	d.Evaluations += len(d.asking)
	return nil
}
