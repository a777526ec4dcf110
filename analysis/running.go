package analysis

import (
	"slices"
	"time"

	"dojo.example/engine"
	"dojo.example/think"
)

// Running is the search of a position that an [Analyser] was given: waiting, running or
// ended.
type Running struct {
	analyser *Analyser // constant, as are the next five
	position engine.Position
	budget   think.Budget
	priority int
	done     chan struct{}
	release  func() bool // of the context

	// Guarded by analyser.mu.
	thought Thought
	elapsed time.Duration // of the search, when thought was taken
	wanted  bool          // somebody has asked for the thought since the worker last renewed it
	stop    think.Stop
	err     error
	ended   bool

	// Only the worker that searches uses these.
	began    time.Time
	deadline time.Time // when the budget's time is over; zero if it has no time limit
}

// Done is closed when the search has ended.
func (r *Running) Done() <-chan struct{} { return r.done }

// Thought returns what the search has found by now; before it begins, no moves and no
// visits. While the search runs, the answer may be as old as the call before this one:
// each call asks the worker for a newer one, which is there some 20 ms later.
func (r *Running) Thought() Thought {
	t, _ := r.Progress()
	return t
}

// Progress returns Thought, and how long the search had gone on when it was taken.
func (r *Running) Progress() (t Thought, elapsed time.Duration) {
	r.analyser.mu.Lock()
	defer r.analyser.mu.Unlock()
	r.wanted = true
	return r.thought, r.elapsed
}

// Stop returns why the search has ended: think.Going until then, and after an error.
func (r *Running) Stop() think.Stop {
	r.analyser.mu.Lock()
	defer r.analyser.mu.Unlock()
	return r.stop
}

// Wait waits until the search has ended, and returns the error that ended it early: the cause of
// its context's end, or an error of an evaluation. Thought keeps what was found before it.
func (r *Running) Wait() error {
	<-r.done
	return r.err
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
		r.ended, r.stop, r.err = true, why, err
		r.release()
		close(r.done)
	}
}
