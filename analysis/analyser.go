package analysis

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sort"
	"sync"

	"dojo.example/engine"
	"dojo.example/mcts"
	"dojo.example/think"
)

// An Analyser searches positions of one game, many at a time: each of its workers is a
// [think.Driver], whose lanes search a position each and share one batch. Begin and the
// methods of a [Running] may be called from any goroutine.
//
// What a search with a budget of visits finds depends on the position and the budget
// alone: not on the number of workers or lanes, nor on what else is searched meanwhile.
type Analyser struct {
	newDriver func() *think.Driver
	actions   int // of the game
	workers   int

	mu      sync.Mutex
	changed *sync.Cond // something was queued, or err was set
	queue   []*Running // sorted by priority, then by age
	running int        // number of searches that workers have begun
	err     error      // why it takes no more positions; nil while it does
}

// Options says how much an Analyser does at a time. The zero value is sensible.
type Options struct {
	Workers int   // goroutines, each with a batch of its own; 0: one a core
	Lanes   int   // positions that a worker searches at a time; 0: 8
	Memory  int64 // bytes that all trees may take together; 0: 2 GiB. A search whose tree has its share ends.
}

// New returns an analyser of a game that searches as s says, while Run runs.
func New(game mcts.Game, s think.Options, opt Options) *Analyser {
	opt.Workers = cmp.Or(opt.Workers, runtime.NumCPU())
	opt.Lanes = cmp.Or(opt.Lanes, 8)
	opt.Memory = cmp.Or(opt.Memory, 2<<30)
	s = s.WithDefaults()
	s.Search.Memory = opt.Memory / int64(opt.Workers*opt.Lanes)
	a := &Analyser{
		newDriver: func() *think.Driver { return think.NewDriver(game, s.Search, s.Evaluator, opt.Lanes) },
		actions:   game.Actions,
		workers:   opt.Workers,
	}
	a.changed = sync.NewCond(&a.mu)
	return a
}

// Begin queues the search of a position, which it returns at once. Waiting searches of
// a higher priority begin before others. If no limit is set, the search goes on until
// the position is proven, the tree is full or it is cancelled. The budget's time counts
// from the search's begin. If the game is over in p, the search has ended already.
func (a *Analyser) Begin(p engine.Position, b think.Budget, priority int) *Running {
	r := &Running{analyser: a, position: p, budget: b, priority: priority, done: make(chan struct{}), thought: Thought{Moves: []Move{}}}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.err != nil:
		r.end(think.Going, a.err)
	case p.Outcome() != engine.Ongoing:
		r.thought = Ended(p)
		r.end(think.Proven, nil)
	default:
		at := sort.Search(len(a.queue), func(i int) bool { return a.queue[i].priority < priority })
		a.queue = slices.Insert(a.queue, at, r)
		a.changed.Broadcast()
	}
	return r
}

// Run searches until ctx ends, and returns its error. All searches have ended then, and
// later ones end at once with that error. If an evaluation fails, only the searches that
// shared it end, with its error.
func (a *Analyser) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { a.close(ctx.Err()) })
	defer stop()
	var wg sync.WaitGroup
	for range a.workers {
		wg.Go(func() { a.work(ctx) })
	}
	wg.Wait()
	a.close(ctx.Err())
	return ctx.Err()
}

// While calls f while the analyser runs, and then ends it.
func (a *Analyser) While(ctx context.Context, f func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = a.Run(ctx) }) // its searches have the error
	defer running.Wait()
	defer cancel()
	return f()
}

// close ends the searches that wait, and lets no other begin.
func (a *Analyser) close(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
	for _, r := range a.queue {
		r.end(think.Going, a.err)
	}
	a.queue = nil
	a.changed.Broadcast()
}

// take removes the next search from the queue and returns it. mine is the number of searches
// that the worker which asks has already: if it is 0, take waits for a search. take returns
// nil if no search waits, or if the worker has its share of all searches and the next one is
// for the other workers.
func (a *Analyser) take(mine int) (*Running, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for mine == 0 && len(a.queue) == 0 && a.err == nil {
		a.changed.Wait()
	}
	share := (len(a.queue) + a.running + a.workers - 1) / a.workers
	if a.err != nil || len(a.queue) == 0 || mine >= share {
		return nil, a.err
	}
	r := a.queue[0]
	a.queue = a.queue[1:]
	a.running++
	return r, nil
}
