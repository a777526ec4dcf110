package train

import (
	"context"
	"fmt"
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
	metrics Metrics   // what self-play says of the games; valid when totals is closed
	err     error     // why the games are not complete; valid when totals is closed
	start   time.Time // when they were begun
	stop    context.CancelFunc
	totals  chan selfplay.Totals // holds the newest that nobody has received; closed when the background work has ended
}

// playEarly begins to play the games of generation g in the background. program is the version that the
// shards name. The games go on after ctx ends, until the run is closed.
func (r *Run) playEarly(ctx context.Context, g int, program string) *earlyGames {
	a := &earlyGames{metrics: Metrics{Generation: g, Player: r.opt.player(r.done, g), Program: program}, start: time.Now(), totals: make(chan selfplay.Totals, 1)}
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() { // ends before Run.Close does
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

// dropEarly stops the games that were begun, finished or not, and waits until they have ended.
func (r *Run) dropEarly() {
	if r.early != nil {
		r.early.stop()
		for range r.early.totals {
		}
		r.early = nil
	}
}

// games is the self-play stage: it waits for the games of the generation, which it begins if they
// were not begun early. With a lag it then begins the games of the next generation.
func (r *Run) games(ctx context.Context, m *Metrics) error {
	if r.early != nil && (r.early.metrics.Generation != m.Generation || r.early.metrics.Program != m.Program) { // the stages of this generation begin again
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

// speedRemark says for a progress display how many games a second were played since start.
func speedRemark(t selfplay.Totals, start time.Time) string {
	return fmt.Sprintf("%.1f games/s", float64(t.Games)/time.Since(start).Seconds())
}
