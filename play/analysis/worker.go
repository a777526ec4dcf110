package analysis

import (
	"context"
	"math/rand/v2"
	"time"

	"dojo.example/search/think"
)

// worker runs the searches of an [Analyser] in the lanes of its driver, in short time slices. After
// each slice it checks whether searches were cancelled, whether someone asked for a result, and
// whether new searches are waiting.
type worker struct {
	*Analyser
	driver   *think.Driver
	searches map[*think.Lane]*Running // searches by the lane that runs them
}

// slice is the length of a time slice. A worker reacts to calls from other goroutines only between
// two slices.
const slice = 20 * time.Millisecond

// work runs searches until there are none left. If an evaluation fails, all searches of this worker
// fail, because they share the batch.
func (a *Analyser) work() {
	w := worker{Analyser: a, driver: think.NewDriver(a.game, a.options.Search, a.options.Evaluator, a.lanes), searches: map[*think.Lane]*Running{}}
	for w.fill() {
		if err := w.driver.Run(context.Background(), w.pause); err != nil {
			for l := range w.searches {
				w.finish(l, think.Going, err)
			}
		}
	}
}

// fill assigns searches from the queue to free lanes. It reports whether the worker has any
// searches.
func (w *worker) fill() bool {
	for _, l := range w.driver.Lanes {
		if w.searches[l] != nil {
			continue
		}
		r := w.take(len(w.searches))
		if r == nil {
			break
		}
		cfg := w.options.Search
		cfg.Memory = r.bytes
		l.Search = w.game.NewSearch(cfg)
		l.Search.Reset(r.position, rand.New(rand.NewPCG(1, 0)))
		r.began = time.Now()
		if r.budget.Time > 0 {
			r.deadline = r.began.Add(r.budget.Time)
		}
		w.searches[l] = r
		w.proceed(l, r)
	}
	return len(w.searches) > 0
}

// proceed begins the next slice of a search.
func (w *worker) proceed(l *think.Lane, r *Running) {
	b := think.Budget{Visits: r.budget.Visits, Time: slice}
	if !r.deadline.IsZero() {
		b.Time = max(1, min(slice, time.Until(r.deadline)))
	}
	l.Begin(w.options.Search.Playing(), b)
}

// The driver calls pause at the end of each time slice of a search. If the search is finished or
// cancelled, pause ends it and begins a waiting search. Otherwise it starts the next slice.
func (w *worker) pause(l *think.Lane, why think.Stop) error {
	r := w.searches[l]
	over := why != think.Time || !r.deadline.IsZero() && !time.Now().Before(r.deadline)
	w.mu.Lock()
	cancelled, look := r.ended, over || r.wanted
	w.mu.Unlock()
	if look && !cancelled {
		t := Summarise(l.Search, w.Game.Actions)
		if err := t.Expect(w.options, r.position); err != nil {
			return err
		}
		t.Elapsed = time.Since(r.began)
		w.mu.Lock()
		if !r.ended {
			r.thought, r.wanted = t, false
		}
		w.mu.Unlock()
	}
	if over || cancelled {
		w.finish(l, why, nil)
	} else {
		w.proceed(l, r)
	}
	if len(w.searches) > 0 {
		w.fill() // if the worker has no searches left, work calls fill instead
	}
	return nil
}

// finish ends the search of a lane.
func (w *worker) finish(l *think.Lane, why think.Stop, err error) {
	r := w.searches[l]
	w.mu.Lock()
	w.searching--
	r.end(why, err)
	delete(w.searches, l)
	w.mu.Unlock()
	l.Search = nil // so that fill can assign a new search
	w.memory.give(r.bytes)
}
