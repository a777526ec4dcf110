// Package think runs searches with a network. Self-play, matches, bots, analysis and the browser
// all use it. A [Driver] runs many searches, one in each lane, and evaluates the positions of all
// lanes in one batch. Each search runs until its [Budget] is used up. A [Thinker] is a driver with
// one lane that follows a game.
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

// A Budget limits the search of one position. The search ends when it reaches one of the limits.
// Even without limits it ends when the position is proven, when the tree has used up its memory, or
// when the context ends.
type Budget struct {
	Visits int // number of root visits, including visits kept from earlier searches; 0: no limit
	// Time is the time limit, counted from Begin without the time that Search.Prepare takes. 0
	// means no limit. The search always runs at least one simulation.
	Time time.Duration
}

// Stop is the reason why a search ended.
type Stop uint8

// The reasons why a search ends.
const (
	Going  Stop = iota // the search has not ended
	Proven             // the outcome under best play is known
	Visits             // the root has as many visits as the budget allows
	Time               // the time limit of the budget has passed
	Full               // the tree has used up its memory
)

func (s Stop) String() string {
	return [...]string{"going on", "the outcome is proven", "all simulations are done", "the time is up", "the tree is full"}[s]
}

// Driver runs several searches, one in each lane. In each round every lane looks for a position to
// evaluate, and one batch evaluates these positions. The results of a lane depend neither on the
// other lanes nor on their number. Only one goroutine at a time may use a Driver.
type Driver struct {
	Lanes       []*Lane
	Evaluations int // number of positions evaluated
	Simulations int // number of simulations in searches that have ended

	game     engine.Game
	legal    []engine.Action // scratch buffer: the legal actions of a root
	playouts bool            // whether values come from random playouts, without a network
	batch    *model.Batch
	asking   []*Lane // for each row of the batch, the lane that asked for it
}

// Lane is one search of a Driver.
type Lane struct {
	Search mcts.Search

	budget Budget
	clock  clock
	before int  // number of root visits at Begin
	fresh  bool // whether Search.Prepare has yet to be called after Begin
	idle   bool // whether the search has ended or has not begun yet
}

// NewDriver returns a Driver with the given number of lanes for searches of game. If e is nil,
// there is no network: all priors are equal, and the value of a position is the result of one
// random playout.
func NewDriver(game mcts.Game, cfg mcts.Config, e model.Evaluator, lanes int) *Driver {
	playouts := e == nil
	if playouts {
		e = model.Uniform // Uniform gives equal logits; random playouts replace its values
	}
	d := &Driver{game: game.Game, playouts: playouts, batch: model.NewBatch(e)}
	for range lanes {
		d.Lanes = append(d.Lanes, &Lane{Search: game.NewSearch(cfg), idle: true})
	}
	return d
}

// Begin starts or continues a search of the position at the root of the lane's tree. The search
// follows the given rule at the root and has the budget b.
func (l *Lane) Begin(rule mcts.RootRule, b Budget) {
	visits := b.Visits
	if visits == 0 {
		visits = math.MaxInt
	}
	l.budget, l.clock = b, clock{began: time.Now()}
	l.Search.Begin(rule, visits)
	l.before, l.idle, l.fresh = l.Search.Visits(), false, true
}

// prepare gets a lane ready for its first simulation after Begin. If the root has no legal action,
// prepare returns an error, because then there is no best action. prepare also lets the search
// build its endgame table. The time that this takes does not count towards the budget.
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

// Simulations returns the number of simulations since Begin.
func (l *Lane) Simulations() int { return l.Search.Visits() - l.before }

// stop returns the reason why the search must end, or Going if it need not end.
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

// Run searches in all lanes that have begun, until all lanes are idle. When the search of a lane
// ends, Run calls ended. This callback may play an action and begin the next search of the lane;
// otherwise the lane becomes idle. If ctx ends, Run evaluates at most about one more batch and
// returns the error of ctx. After an error all lanes are idle.
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
			// Although no lane asked for an evaluation, a search may still wait for its turn: the
			// callback of a later lane may have begun it in an earlier lane. So the loop ends only
			// when all lanes are idle.
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

// end makes a lane idle and adds its simulations to the total.
func (d *Driver) end(l *Lane) {
	if !l.idle {
		l.idle = true
		d.Simulations += l.Simulations()
	}
}

// advance searches in a lane until the lane needs an evaluation or is idle.
func (d *Driver) advance(ctx context.Context, l *Lane, ended func(*Lane, Stop) error) error {
	for n := 1; !l.idle; n++ {
		if err := d.prepare(ctx, l); err != nil {
			return err
		}
		// If no position needs an evaluation, this loop can run for a long time.
		if n%256 == 0 && ctx.Err() != nil {
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

// answer evaluates the batch and gives the results of each row to the lane that asked for it.
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
