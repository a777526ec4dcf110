package train

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dojo/selfplay"
)

// player is the name of the model that plays generation g, if at least the generations
// before g − Lag are done: the best one after those.
func (o *Options) player(done []Metrics, g int) string {
	return o.best(done[:max(0, g-o.Train.Lag)])
}

// An ahead is the games of the generation after the one that is trained and gated. They
// are played meanwhile; see Config.Lag.
type ahead struct {
	metrics Metrics // filled in by self-play
	err     error   // why the games are not complete
	start   time.Time
	stop    context.CancelFunc
	done    chan struct{} // closed when metrics and err are there

	mu     sync.Mutex
	totals selfplay.Totals               // guarded by mu
	show   func(done int, remark string) // nil while nobody waits; guarded by mu
}

// playAhead begins to play the games of generation g. They go on when ctx ends, until
// the run is closed.
func (r *Run) playAhead(ctx context.Context, g int) *ahead {
	a := &ahead{metrics: Metrics{Generation: g, Player: r.opt.player(r.done, g)}, start: time.Now(), done: make(chan struct{})}
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() { // ends before Run.Close does
		defer close(a.done)
		a.err = r.opt.play(ctx, &a.metrics, a.progress)
	}()
	return a
}

// progress notes what has been played so far, and shows it if somebody waits.
func (a *ahead) progress(t selfplay.Totals) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.totals = t
	if a.show != nil {
		a.show(t.Games, speed(t, a.start))
	}
}

// showTo has progress shown; nil: no longer.
func (a *ahead) showTo(show func(done int, remark string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show = show
	if show != nil {
		show(a.totals.Games, speed(a.totals, a.start))
	}
}

// close ends the games, finished or not.
func (a *ahead) close() {
	a.stop()
	<-a.done
}

// games is the stage self-play: it waits for the games of the generation, if they have
// been begun, or else plays what is missing. With a lag it begins the next ones.
func (r *Run) games(ctx context.Context, m *Metrics) error {
	if a := r.ahead; a != nil && a.metrics.Generation == m.Generation {
		a.showTo(r.opt.Report.Stage(m.Generation, "self-play", r.opt.Selfplay.Games))
		select {
		case <-a.done:
		case <-ctx.Done():
			a.showTo(nil)
			return context.Cause(ctx)
		}
		r.ahead = nil
		a.stop()
		if a.err != nil {
			return a.err
		}
		*m = a.metrics
	} else if err := r.opt.selfplay(ctx, m); err != nil {
		return err
	}
	if next := m.Generation + 1; r.opt.Train.Lag > 0 && next < r.opt.Train.Generations {
		r.ahead = r.playAhead(ctx, next)
	}
	return nil
}

// speed is a remark on the games played since start.
func speed(t selfplay.Totals, start time.Time) string {
	return fmt.Sprintf("%.1f games/s", float64(t.Games)/time.Since(start).Seconds())
}
