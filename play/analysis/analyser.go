package analysis

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"dojo.example/engine"
	"dojo.example/internal/memory"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// Analyser searches many positions of one game at a time. It has several workers. Each worker has a
// [think.Driver]. Each lane of the driver searches one position, and one batch evaluates the
// positions of all lanes. A worker runs only while there are searches for it. All methods may be
// called from any goroutine.
//
// If the budget of a search limits visits but not time, the result depends only on the position and
// the budget. It does not depend on the number of workers or lanes, on the memory, or on other
// searches. A search whose visits are limited begins when there is memory for all its simulations;
// see Check. A search that is limited only by time ends when its tree has used up its share of the
// memory.
type Analyser struct {
	Game engine.Game

	game    mcts.Game
	options think.Options
	workers int // maximum number of workers
	lanes   int // number of lanes of each worker
	memory  *Memory

	mu        sync.Mutex
	queue     []*Running // searches that have not begun, sorted by priority and then by age
	searching int        // number of searches that workers are running
	awake     int        // number of workers that are running
}

// Options sets how many searches an Analyser runs at a time. The zero value gives sensible
// defaults.
type Options struct {
	Workers int // number of goroutines, each with its own batch; 0: one per core
	Lanes   int // number of positions that a worker searches at a time; 0: 8

	// Memory is the memory for search trees. Several analysers may share it. If it is nil, the
	// analyser gets its own: as much as the process may use for trees.
	Memory *Memory
}

// New returns an analyser for a game. s contains the evaluator and the search settings.
func New(game mcts.Game, s think.Options, opt Options) *Analyser {
	if opt.Memory == nil {
		opt.Memory = NewMemory(int64(memory.ForTrees()))
	}
	return &Analyser{
		Game:    game.Game,
		game:    game,
		options: s.WithDefaults(),
		workers: cmp.Or(opt.Workers, runtime.GOMAXPROCS(0)),
		lanes:   cmp.Or(opt.Lanes, 8),
		memory:  opt.Memory,
	}
}

// Begin queues the search of position p and returns immediately. Waiting searches with a higher
// priority begin first. If the budget sets no limit, the search runs until the position is proven,
// the tree is full or ctx ends. If ctx ends, the search ends too, and its error is the context's
// cause. The time in the budget counts from the start of the search, not from the call of Begin.
//
// In two cases the returned search has already ended: if the game is over in p, or if Check returns
// an error for the budget. In the second case, the search has the error that Check returned.
func (a *Analyser) Begin(ctx context.Context, p engine.Position, b think.Budget, priority int) *Running {
	r := &Running{analyser: a, position: p, budget: b, bytes: a.bytes(b), priority: priority, done: make(chan struct{}), thought: Thought{Moves: []Move{}}}
	a.mu.Lock()
	defer a.mu.Unlock()
	r.release = context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })
	if p.Outcome() != engine.Ongoing {
		r.thought.Value, r.thought.Proven = p.Outcome().Value(), p.Outcome()
		r.end(think.Proven, nil)
		return r
	}
	if err := a.Check(b); err != nil {
		r.end(think.Going, err)
		return r
	}
	at := sort.Search(len(a.queue), func(i int) bool { return a.queue[i].priority < priority })
	a.queue = slices.Insert(a.queue, at, r)
	a.start(1)
	return r
}

// start starts up to n workers, without exceeding the maximum number. The caller holds mu.
func (a *Analyser) start(n int) {
	for ; n > 0 && a.awake < a.workers; n-- {
		a.awake++
		// This goroutine does not leak: work returns when there are no more searches, and every
		// search ends when its context ends, if not earlier.
		go a.work()
	}
}

// wake starts workers for the waiting searches.
func (a *Analyser) wake() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.start(len(a.queue))
}

// take removes the next search from the queue and returns it. The argument mine is the number of
// searches that the calling worker already has. take returns nil if no search is waiting, if the
// worker already has its share of all searches, or if there is not enough memory for the next
// search. A worker that has no search must exit when take returns nil.
func (a *Analyser) take(mine int) *Running {
	a.mu.Lock()
	defer a.mu.Unlock()
	share := (len(a.queue) + a.searching + a.workers - 1) / a.workers
	if len(a.queue) == 0 || mine >= share || !a.memory.take(a.queue[0].bytes, a) {
		if mine == 0 {
			a.awake--
		}
		return nil
	}
	r := a.queue[0]
	a.queue = a.queue[1:]
	a.searching++
	return r
}

// Running is the search of a position by an [Analyser]. The search may be waiting, running or
// ended.
type Running struct {
	analyser *Analyser // the fields from here to release never change
	position engine.Position
	budget   think.Budget
	bytes    int64 // memory that the search takes from the analyser's Memory
	priority int
	done     chan struct{}
	release  func() bool // stops watching the context

	// The fields below are guarded by analyser.mu.
	thought Thought
	wanted  bool // Thought was called after the worker last updated thought
	err     error
	ended   bool

	// The fields below are used only by the worker that runs the search.
	began    time.Time
	deadline time.Time // end of the budget's time; zero if there is no time limit
}

// Thought returns the latest known result of the search. Before the search begins, the result has
// no moves and no visits. The worker updates the result only on request: each call of Thought asks
// for a newer result, which is available about 20 ms later. So the first call may return an old
// result.
func (r *Running) Thought() Thought {
	r.analyser.mu.Lock()
	defer r.analyser.mu.Unlock()
	r.wanted = true
	return r.thought
}

// Wait waits for the end of the search and returns its result. If the search ended early, Wait also
// returns the reason: the cause of its context, or the error of an evaluation.
func (r *Running) Wait() (Thought, error) {
	<-r.done
	return r.Thought(), r.err
}

// Watch waits for the end of the search, like Wait. Until then it calls tell with the current
// result once per interval. The first call comes after a third of the interval. If tell returns an
// error, Watch stops waiting and returns this error.
func (r *Running) Watch(interval time.Duration, tell func(Thought) error) (Thought, error) {
	for next := interval / 3; ; next = interval {
		r.Thought() // ask the worker for a newer result
		select {
		case <-r.done:
			return r.Wait()
		case <-time.After(next):
		}
		if t := r.Thought(); t.Visits > 0 { // without visits, the search is waiting or has just begun
			if err := tell(t); err != nil {
				return t, err
			}
		}
	}
}

// cancel ends the search with the error err. If a worker is running the search, the worker notices
// this within about 20 ms.
func (r *Running) cancel(err error) {
	a := r.analyser
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.queue, r); i >= 0 {
		a.queue = slices.Delete(a.queue, i, i+1)
	}
	r.end(think.Going, err)
}

// end ends the search unless it has already ended. The caller holds the analyser's mu.
func (r *Running) end(why think.Stop, err error) {
	if !r.ended {
		r.ended, r.thought.Stop, r.err = true, why, err
		r.release()
		close(r.done)
	}
}
