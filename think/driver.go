// Package think drives searches with a network: the one loop of self-play,
// matches, bots, analysis and the browser. A [Driver] drives many searches
// around one batch; a [Thinker] is a driver of one search that follows a game.
package think

import (
	"context"
	"math"
	"time"

	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
)

// A Budget is how long a search of one position goes on: until whichever of
// its limits is reached first. Without any, it ends when the game is proven,
// the tree is full or its context ends.
type Budget struct {
	Visits int           // of the root, those kept from earlier searches included; 0: no limit
	Time   time.Duration // since the search began, after one simulation at least; 0: no limit
}

// Stop is why a search ended.
type Stop uint8

// The reasons there are. A search that is going on has none of them.
const (
	Going  Stop = iota
	Proven      // the game is proven: nothing is left to find out
	Visits      // the budget's visits are made
	Time        // the budget's time is over
	Full        // the tree has all the memory that it may take
)

func (s Stop) String() string {
	return [...]string{"going on", "the game is proven", "the visits are made", "the time is over", "the tree is full"}[s]
}

// Driver drives searches, its lanes, in step: every lane looks for leaves, one
// batch answers them all. A lane's results do not depend on the others, nor
// on how many there are. One goroutine uses it.
type Driver struct {
	Lanes       []*Lane
	Evaluations int // rows sent to the evaluator
	Simulations int // visits added to roots

	evaluator model.Evaluator // nil: random playouts
	pending   int             // simulations of a lane at once
	batch     *model.Batch
	lists     bool // the evaluator reads the lists of the batch
	planes    int  // floats of a row
	actions   int
	asking    []*Lane // the lanes that asked, row by row
}

// Lane is one search of a driver.
type Lane struct {
	Search mcts.Search

	budget   Budget
	deadline time.Time // zero: none
	before   int       // visits when the search of this position began
	idle     bool      // its search is over or has not begun
}

// NewDriver returns a driver of so many forks of a search. Each evaluation is
// for a batch of up to lanes × pending positions. An evaluator that is nil
// stands for random playouts: priors alike, and the result of one random game
// as the value.
func NewDriver(search mcts.Search, spec engine.Spec, e model.Evaluator, lanes, pending int) *Driver {
	pending = max(1, min(pending, mcts.MaxPending))
	batch := model.NewBatch
	if model.ReadsLists(e) {
		batch = model.NewListBatch
	}
	d := &Driver{
		evaluator: e,
		pending:   pending,
		batch:     batch(spec, lanes*pending),
		lists:     model.ReadsLists(e),
		planes:    spec.Planes.Size(),
		actions:   spec.Actions,
	}
	for range lanes {
		d.Lanes = append(d.Lanes, &Lane{Search: search, idle: true})
		search = search.Fork()
	}
	return d
}

// Begin starts the search of the position at which the lane's search stands,
// or lets it go on, by a rule at its root and to a budget.
func (l *Lane) Begin(root mcts.Root, b Budget) {
	visits := b.Visits
	if visits == 0 {
		visits = math.MaxInt
	}
	l.Search.Begin(root, visits)
	l.budget, l.deadline, l.before, l.idle = b, time.Time{}, l.Search.Visits(), false
	if b.Time > 0 {
		l.deadline = time.Now().Add(b.Time)
	}
}

// Made is the number of simulations since Begin.
func (l *Lane) Made() int { return l.Search.Visits() - l.before }

// stop says whether the search has come to an end, and why.
func (l *Lane) stop() Stop {
	s := l.Search
	if !s.Done() {
		if !l.deadline.IsZero() && l.Made() > 0 && !time.Now().Before(l.deadline) {
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

// Run drives the lanes that have begun until all are idle. When the search of
// a lane ends it calls ended, which may play and Begin again; a lane that it
// does not begin is idle. It hears of the end of ctx within an evaluation or
// so, and returns its error; after an error all lanes are idle.
func (d *Driver) Run(ctx context.Context, ended func(l *Lane, why Stop) error) error {
	defer func() {
		for _, l := range d.Lanes {
			d.end(l)
		}
	}()
	for {
		d.asking = d.asking[:0]
		d.batch.Lists.Reset()
		for _, l := range d.Lanes {
			if err := d.advance(ctx, l, ended); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil || len(d.asking) == 0 {
			return err
		}
		if err := d.answer(ctx); err != nil {
			return err
		}
	}
}

// end makes a lane idle and counts what it did.
func (d *Driver) end(l *Lane) {
	if !l.idle {
		l.idle = true
		d.Simulations += l.Made()
	}
}

// advance searches on in a lane until it needs evaluations or is idle.
func (d *Driver) advance(ctx context.Context, l *Lane, ended func(*Lane, Stop) error) error {
	for n := 1; !l.idle; n++ {
		if n%256 == 0 && ctx.Err() != nil { // all that it meets may be remembered
			return ctx.Err()
		}
		if why := l.stop(); why != Going {
			d.end(l)
			if err := ended(l, why); err != nil {
				return err
			}
			continue
		}
		asked := d.ask(l.Search)
		for range asked {
			d.asking = append(d.asking, l)
		}
		if asked > 0 {
			return nil
		}
	}
	return nil
}

// ask makes simulations of a search whose positions become the next rows.
func (d *Driver) ask(s mcts.Search) int {
	if d.lists {
		return s.ListLeaves(&d.batch.Lists, d.pending)
	}
	return s.Leaves(d.batch.Planes[len(d.asking)*d.planes:], d.pending)
}

// answer evaluates what the lanes asked.
func (d *Driver) answer(ctx context.Context) error {
	b := d.batch
	b.N = len(d.asking)
	if d.evaluator != nil {
		if err := d.evaluator.Evaluate(ctx, b); err != nil {
			return err
		}
	}
	for row, l := range d.asking {
		if d.lists {
			from, to := b.Lists.LegalRange(row, row+1)
			l.Search.ExpandLegal(b.Lists.Legal[from:to], b.Logits[from:to], b.Values[row])
			continue
		}
		if d.evaluator == nil {
			b.Values[row] = l.Search.Playout() // the logits stay zero
		}
		l.Search.Expand(b.Logits[row*d.actions:(row+1)*d.actions], b.Values[row])
	}
	d.Evaluations += len(d.asking)
	return nil
}
