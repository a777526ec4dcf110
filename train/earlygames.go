package train

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dojo.example/selfplay"
)

// player returns the name of the model that plays generation g: the best one after the
// generations before g − Lag, which must be among those in done.
func (o *Options) player(done []Metrics, g int) string {
	return o.best(done[:max(0, g-o.Train.Lag)])
}

// earlyGames are the games of a generation, which are played in the background: with Config.Lag
// while the generation before it is trained and gated.
type earlyGames struct {
	metrics Metrics   // what self-play says of the games; valid when done is closed
	err     error     // why the games are not complete; valid when done is closed
	start   time.Time // when they were begun
	stop    context.CancelFunc
	done    chan struct{} // closed when the background work has ended

	mu     sync.Mutex
	totals selfplay.Totals               // guarded by mu
	show   func(done int, remark string) // displays progress while somebody waits for the games, else nil; guarded by mu
}

// playEarly begins to play the games of generation g in the background. They go on after ctx
// ends, until the run is closed.
func (r *Run) playEarly(ctx context.Context, g int) *earlyGames {
	a := &earlyGames{metrics: Metrics{Generation: g, Player: r.opt.player(r.done, g)}, start: time.Now(), done: make(chan struct{})}
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() { // ends before Run.Close does
		defer close(a.done)
		a.err = r.opt.play(ctx, &a.metrics, func(t selfplay.Totals) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.totals = t
			a.display()
		})
	}()
	return a
}

// setDisplay sets the function that displays progress; nil for none.
func (a *earlyGames) setDisplay(show func(done int, remark string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show = show
	a.display()
}

// display shows the progress if somebody waits; a.mu is held.
func (a *earlyGames) display() {
	if a.show != nil {
		a.show(a.totals.Games, speedRemark(a.totals, a.start))
	}
}

// dropEarly stops the games that were begun, finished or not, and waits until they have ended.
func (r *Run) dropEarly() {
	if r.early != nil {
		r.early.stop()
		<-r.early.done
		r.early = nil
	}
}

// games is the self-play stage: it waits for the games of the generation, which it begins if they
// were not begun early. With a lag it then begins the games of the next generation.
func (r *Run) games(ctx context.Context, m *Metrics) error {
	if r.early != nil && r.early.metrics.Generation != m.Generation { // the stages of this generation begin again
		r.dropEarly()
	}
	if r.early == nil {
		r.early = r.playEarly(ctx, m.Generation)
	}
	a := r.early
	a.setDisplay(r.opt.Report.Stage(m.Generation, "self-play", r.opt.Selfplay.Games))
	select {
	case <-a.done:
	case <-ctx.Done():
		a.setDisplay(nil)
		return context.Cause(ctx)
	}
	r.dropEarly()
	if a.err != nil {
		return a.err
	}
	*m = a.metrics
	if next := m.Generation + 1; r.opt.Train.Lag > 0 && next < r.opt.Train.Generations {
		r.early = r.playEarly(ctx, next)
	}
	return nil
}

// speedRemark says for a progress display how many games a second were played since start.
func speedRemark(t selfplay.Totals, start time.Time) string {
	return fmt.Sprintf("%.1f games/s", float64(t.Games)/time.Since(start).Seconds())
}
