package analysis

import (
	"context"
	"math/rand/v2"
	"time"

	"dojo.example/mcts"
	"dojo.example/think"
)

// A worker of an [Analyser] drives its lanes. Each search goes on for a slice of time;
// in between, the worker looks at what has happened meanwhile.
type worker struct {
	*Analyser
	driver   *think.Driver
	searches map[*think.Lane]*Running // of the lanes that have one
}

// slice is how long a worker searches before it looks at new searches, cancelled ones
// and thoughts that are asked for.
const slice = 20 * time.Millisecond

// work searches until ctx ends. If an evaluation fails, the searches that share it fail.
func (a *Analyser) work(ctx context.Context) {
	w := worker{Analyser: a, driver: a.newDriver(), searches: map[*think.Lane]*Running{}}
	for ctx.Err() == nil {
		err := w.fill()
		if err == nil {
			for l, r := range w.searches {
				w.proceed(l, r)
			}
			err = w.driver.Run(ctx, w.pause)
		}
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil {
			w.abandon(err)
		}
	}
}

// abandon ends the worker's searches with an error.
func (w *worker) abandon(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running -= len(w.searches)
	for _, r := range w.searches {
		r.end(think.Going, err)
	}
	clear(w.searches)
}

// fill gives searches from the queue to free lanes.
func (w *worker) fill() error {
	for _, l := range w.driver.Lanes {
		if w.searches[l] != nil {
			continue
		}
		r, err := w.take(len(w.searches))
		if r == nil {
			return err
		}
		l.Search.Reset(r.position, rand.New(rand.NewPCG(1, 0)))
		r.began = time.Now()
		if r.budget.Time > 0 {
			r.deadline = r.began.Add(r.budget.Time)
		}
		w.searches[l] = r
		w.proceed(l, r)
	}
	return nil
}

// proceed begins the next slice of a search.
func (w *worker) proceed(l *think.Lane, r *Running) {
	b := think.Budget{Visits: r.budget.Visits, Time: slice}
	if !r.deadline.IsZero() {
		b.Time = max(1, min(slice, time.Until(r.deadline)))
	}
	l.Begin(mcts.Noise{}, b)
}

// pause is called at the end of a slice: the search goes on, or another one begins.
func (w *worker) pause(l *think.Lane, why think.Stop) error {
	r := w.searches[l]
	over := why != think.Time || !r.deadline.IsZero() && !time.Now().Before(r.deadline)
	w.mu.Lock()
	over = over || r.cancelled
	look := over || r.wanted
	w.mu.Unlock()
	if look {
		t := Summarise(l.Search, w.actions)
		w.mu.Lock()
		r.thought, r.elapsed, r.wanted = t, time.Since(r.began), false
		w.mu.Unlock()
	}
	if over {
		delete(w.searches, l)
		w.finish(r, why)
	} else {
		w.proceed(l, r)
	}
	if len(w.searches) == 0 {
		return nil // work waits for more
	}
	return w.fill()
}

// finish ends a search that has run.
func (w *worker) finish(r *Running, why think.Stop) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	if r.cancelled {
		r.end(think.Going, ErrCancelled)
		return
	}
	r.end(why, nil)
}
