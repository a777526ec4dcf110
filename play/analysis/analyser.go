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

// An Analyser searches positions of one game, many at a time: each of its workers is a
// [think.Driver], whose lanes search a position each and share one batch. A worker runs while
// there are searches for it. All methods may be called from any goroutine.
//
// What a search with a budget of visits finds depends only on the position and the budget: not on the
// number of workers or lanes, on the memory, or on what else is searched meanwhile. It begins when
// there is memory for all its simulations; see Check. A search that only time limits ends when
// its tree has used up its share of the memory.
type Analyser struct {
	Game engine.Game

	game    mcts.Game
	options think.Options
	workers int // at most
	lanes   int // of a worker
	memory  *Memory

	mu        sync.Mutex
	queue     []*Running // sorted by priority, then by age
	searching int        // number of searches that workers have begun
	awake     int        // number of workers
}

// Options says how much an Analyser does at a time. The zero value is sensible.
type Options struct {
	Workers int     // goroutines, each with its own batch; 0: one for each core
	Lanes   int     // positions that a worker searches at a time; 0: 8
	Memory  *Memory // of the trees, which other analysers may share; nil: as much as the process may take for trees
}

// New returns an analyser of a game that searches as s says.
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

// Begin queues the search of a position, which it returns at once. Waiting searches of
// a higher priority begin before others. If no limit is set, the search goes on until
// the position is proven, the tree is full or ctx ends, with whose cause it then ends. The
// budget's time counts from the search's begin. If the game is over in p, the search has
// ended already, and so it has, with the error of Check, if there is one.
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

// start starts some workers, if there are so many more. The analyser's mu is held.
func (a *Analyser) start(n int) {
	for ; n > 0 && a.awake < a.workers; n-- {
		a.awake++
		go a.work() // until there are no more searches; each ends with its context
	}
}

// wake starts workers for the searches that wait.
func (a *Analyser) wake() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.start(len(a.queue))
}

// take removes the next search from the queue and returns it. mine is the number of searches
// that the worker which asks has already. take returns nil if no search waits, if the worker
// has its share of all searches and the next one is for the other workers, or if there is no memory for
// the next one. A worker that has no search and gets none must end.
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

// Running is the search of a position that an [Analyser] was given: waiting, running or
// ended.
type Running struct {
	analyser *Analyser // constant, as are the next six
	position engine.Position
	budget   think.Budget
	bytes    int64 // of the analyser's memory
	priority int
	done     chan struct{}
	release  func() bool // of the context

	// Guarded by analyser.mu.
	thought Thought
	wanted  bool // somebody has asked for the thought since the worker last renewed it
	err     error
	ended   bool

	// Only the worker that searches uses these.
	began    time.Time
	deadline time.Time // when the budget's time is over; zero if it has no time limit
}

// Thought returns what the search has found by now; before it begins, no moves and no
// visits. While the search runs, the answer may be as old as the call before this one:
// each call asks the worker for a newer one, which is there some 20 ms later.
func (r *Running) Thought() Thought {
	r.analyser.mu.Lock()
	defer r.analyser.mu.Unlock()
	r.wanted = true
	return r.thought
}

// Wait waits until the search has ended, and returns what it has found. The error is what ended
// it early: the cause of its context's end, or an error of an evaluation.
func (r *Running) Wait() (Thought, error) {
	<-r.done
	return r.Thought(), r.err
}

// Watch waits as Wait does. Every interval, and soon after the search's begin, it passes what has
// been found so far to tell, whose error ends it.
func (r *Running) Watch(interval time.Duration, tell func(Thought) error) (Thought, error) {
	for next := interval / 3; ; next = interval {
		r.Thought() // the next call gets a newer one
		select {
		case <-r.done:
			return r.Wait()
		case <-time.After(next):
		}
		if t := r.Thought(); t.Visits > 0 { // else the search is waiting, or has just begun
			if err := tell(t); err != nil {
				return t, err
			}
		}
	}
}

// cancel ends the search at once. A worker that searches notices it within some 20 ms.
func (r *Running) cancel(err error) {
	a := r.analyser
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.queue, r); i >= 0 {
		a.queue = slices.Delete(a.queue, i, i+1)
	}
	r.end(think.Going, err)
}

// end ends the search, if it has not ended. The analyser's mu is held.
func (r *Running) end(why think.Stop, err error) {
	if !r.ended {
		r.ended, r.thought.Stop, r.err = true, why, err
		r.release()
		close(r.done)
	}
}
