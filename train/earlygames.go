package train

import (
	"context"
	"fmt"
	"time"

	"dojo.example/selfplay"
)

// player returns the name of the model that plays generation g: the best model after generation
// g−1−Lag. done must include the generations up to that one.
func (o *Options) player(done []Metrics, g int) string {
	return o.best(done[:max(0, g-o.Train.Lag)])
}

// earlyGames are games of a generation that are played in the background. With Config.Lag they are
// played while the generation before is trained and gated.
type earlyGames struct {
	metrics Metrics   // the statistics of self-play; valid once totals is closed
	err     error     // why the games are not complete; valid once totals is closed
	start   time.Time // when the games were begun
	stop    context.CancelFunc
	totals  chan selfplay.Totals // holds the newest totals that nobody has received; closed when the background work ends
}

// playEarly begins to play the games of generation g in the background. program is the version that
// the shards name. The games continue after ctx ends, until the run is closed.
func (r *Run) playEarly(ctx context.Context, g int, program string) *earlyGames {
	a := &earlyGames{metrics: Metrics{Generation: g, Player: r.opt.player(r.done, g), Program: program}, start: time.Now(), totals: make(chan selfplay.Totals, 1)}
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() { // this goroutine ends before Run.Close returns
		defer close(a.totals)
		a.err = r.opt.play(ctx, &a.metrics, func(t selfplay.Totals) {
			select {
			case <-a.totals:
			default:
			}
			a.totals <- t
		})
	}()
	return a
}

// dropEarly stops the games in the background, if there are any, and waits until they have ended.
func (r *Run) dropEarly() {
	if r.early != nil {
		r.early.stop()
		for range r.early.totals {
		}
		r.early = nil
	}
}

// games is the stage self-play. It waits until the games of the generation are complete; if they
// were not begun early, it begins them. With a lag it then begins the games of the next generation.
func (r *Run) games(ctx context.Context, m *Metrics) error {
	if r.early != nil && (r.early.metrics.Generation != m.Generation || r.early.metrics.Program != m.Program) { // the stages of the generation begin again
		r.dropEarly()
	}
	if r.early == nil {
		r.early = r.playEarly(ctx, m.Generation, m.Program)
	}
	a := r.early
	report := r.opt.Report.Stage(m.Generation, "self-play", r.opt.Selfplay.Games)
	for playing := true; playing; {
		select {
		case t, more := <-a.totals:
			if playing = more; more {
				report(t.Games, speedRemark(t, a.start))
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	r.dropEarly()
	if a.err != nil {
		return a.err
	}
	*m = a.metrics
	if next := m.Generation + 1; r.opt.Train.Lag > 0 && next < r.opt.Train.Generations {
		r.early = r.playEarly(ctx, next, m.Program)
	}
	return nil
}

// speedRemark returns the mean number of games per second since start, as a remark for a progress
// display.
func speedRemark(t selfplay.Totals, start time.Time) string {
	return fmt.Sprintf("%.1f games/s", float64(t.Games)/time.Since(start).Seconds())
}
