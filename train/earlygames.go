package train

import (
	"context"
	"fmt"
	"time"

	"dojo.example/selfplay"
)

// player returns the name of the model that plays the games of generation g. This is the best model
// after generation g−1−Lag. done must include this generation.
func (o *Options) player(done []Metrics, g int) string {
	return o.best(done[:max(0, g-o.Train.Lag)])
}

// earlyGames holds the games of a generation while they are played in the background. With
// Config.Lag, these games are played while the previous generation is trained and plays its gate
// match.
type earlyGames struct {
	metrics Metrics   // statistics of the games; valid when totals is closed
	err     error     // why the games are incomplete, or nil; valid when totals is closed
	start   time.Time // time at which the games began
	stop    context.CancelFunc
	// Holds the newest totals until somebody receives them; closed when the work in the background
	// ends.
	totals chan selfplay.Totals
}

// playEarly begins to play the games of generation g in the background. program is the version of
// the program that is written into the shards. If ctx ends, the games continue. They stop when the
// run is closed.
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

// dropEarly stops the games in the background and waits until they have stopped. If there are no
// such games, it does nothing.
func (r *Run) dropEarly() {
	if r.early != nil {
		r.early.stop()
		for range r.early.totals {
		}
		r.early = nil
	}
}

// games runs the stage self-play. It starts the games of the generation, unless they were started
// early, and waits until they are complete. With a lag, it then starts the games of the next
// generation in the background.
func (r *Run) games(ctx context.Context, m *Metrics) error {
	// Drop games that were begun early for a different generation or with a different program
	// version. This happens if the stages of a generation begin again.
	if r.early != nil && (r.early.metrics.Generation != m.Generation || r.early.metrics.Program != m.Program) {
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

// speedRemark returns the mean number of games per second since start, as a text for a progress
// bar.
func speedRemark(t selfplay.Totals, start time.Time) string {
	return fmt.Sprintf("%.1f games/s", float64(t.Games)/time.Since(start).Seconds())
}
