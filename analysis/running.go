package analysis

import (
	"context"
	"errors"
	"slices"
	"time"

	"dojo.example/engine"
	"dojo.example/think"
)

// ErrCancelled is the error of a search that was cancelled.
var ErrCancelled = errors.New("cancelled")

// Running is the search of a position that an [Analyser] was given: waiting, running or
// ended.
type Running struct {
	analyser *Analyser // constant, as are the next four
	position engine.Position
	budget   think.Budget
	priority int
	done     chan struct{}

	// Guarded by analyser.mu.
	thought   Thought
	elapsed   time.Duration // of the search, when thought was taken
	wanted    bool          // somebody has asked for the thought since the worker last renewed it
	cancelled bool
	stop      think.Stop
	err       error
	ended     bool

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

// Stop returns why the search has ended: think.Going until then, and if Err is not nil.
func (r *Running) Stop() think.Stop {
	r.analyser.mu.Lock()
	defer r.analyser.mu.Unlock()
	return r.stop
}

// Err returns the error that ended the search early: ErrCancelled, an error of an evaluation or
// of the context of [Analyser.Run]. Thought keeps what was found before it.
func (r *Running) Err() error {
	r.analyser.mu.Lock()
	defer r.analyser.mu.Unlock()
	return r.err
}

// Wait waits until the search or ctx has ended, and returns Err or ctx's error.
func (r *Running) Wait(ctx context.Context) error {
	select {
	case <-r.done:
		return r.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Cancel ends the search soon: at once if it still waits, or else within some 20 ms.
func (r *Running) Cancel() {
	a := r.analyser
	a.mu.Lock()
	defer a.mu.Unlock()
	r.cancelled = true
	if i := slices.Index(a.queue, r); i >= 0 {
		a.queue = slices.Delete(a.queue, i, i+1)
		r.end(think.Going, ErrCancelled)
	}
}

// end ends the search, if it has not ended. The analyser's mu is held, or nobody else
// knows the search.
func (r *Running) end(why think.Stop, err error) {
	if !r.ended {
		r.ended, r.stop, r.err = true, why, err
		close(r.done)
	}
}
