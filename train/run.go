// Package train is the generation loop: self-play by the best model, a window
// of recent generations, optimiser steps, a candidate, a gate match. Its
// stages share nothing but the run's folder, so any of them can be killed and
// run again:
//
//	run.yaml                          the frozen configuration
//	samples/gen-000012/*.parquet      what generation 12 played
//	models/000012.safetensors         what it learned: the candidate
//	trainer/000012.safetensors        weights, moments and average behind it
//	generations/000012.json           its metrics and verdict: the commit
//	best                              the model that plays next
//	metrics.jsonl, events.out.tfevents.dojo    made from generations/
//
// Every file appears whole or not at all. A generation without a commit
// record is continued from the shards and files it has; all that it does
// follows from the run's seed, so what is done twice comes out the same.
package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dojo/data"
	"dojo/engine"
	"dojo/internal/atomicfile"
	"dojo/mcts"
	"dojo/model"
	"dojo/model/graph"
	"dojo/selfplay"

	"github.com/gofrs/flock"
)

// Options is what a run is given. All but Workers and Report decide what is
// learned.
type Options struct {
	Game      engine.Game
	NewSearch func(mcts.Config) mcts.Search
	Network   model.Network // fitted to the game
	Search    mcts.Config
	Selfplay  selfplay.Config
	Train     Config
	Gate      Gate
	Seed      uint64

	Dir            string // the run's folder, made if missing
	Name           string // the run's name, for rows and checkpoints
	ProgramVersion string
	Workers        int // goroutines of every stage
	Report         Reporter
}

// Reporter is told of progress, by one goroutine at a time.
type Reporter interface {
	// Stage announces total units of work of a stage: "self-play" counts
	// games, "train" steps, "gate" games. The function it returns is called
	// with the units done so far and a short remark, and with total at the
	// end; the next call of Stage or Generation ends the stage.
	Stage(generation int, stage string, total int) func(done int, remark string)

	// Generation reports a generation that is complete.
	Generation(m Metrics)
}

// ErrLocked means that another process works on the run.
var ErrLocked = errors.New("another process is working on this run")

// Run is a run's folder, locked for this process.
type Run struct {
	opt  Options
	lock *flock.Flock
	done []Metrics // of the committed generations

	window  *window        // samples read so far, kept between generations
	trainer *graph.Trainer // made by the first Fit
}

// Open locks the folder and reads how far the run has come. Leftovers of a
// killed process are removed.
func Open(opt Options) (*Run, error) {
	if opt.Network.Margin > 0 && !scores(opt.Game) {
		return nil, fmt.Errorf("open run %s: network.margin is %d, but %s has no scores", opt.Dir, opt.Network.Margin, opt.Game.Name)
	}
	r := &Run{opt: opt, window: newWindow(opt.Game, opt.Train.SearchValueShare)}
	for _, dir := range []string{"samples", "models", "trainer", "generations"} {
		if err := os.MkdirAll(r.path(dir), 0o755); err != nil {
			return nil, fmt.Errorf("open run %s: %w", opt.Dir, err)
		}
	}
	r.lock = flock.New(r.path("lock"))
	switch ok, err := r.lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("open run %s: lock: %w", opt.Dir, err)
	case !ok:
		return nil, fmt.Errorf("open run %s: %w", opt.Dir, ErrLocked)
	}
	if err := r.recover(); err != nil {
		r.Close()
		return nil, fmt.Errorf("open run %s: %w", opt.Dir, err)
	}
	return r, nil
}

// recover reads the committed generations and removes temporaries.
func (r *Run) recover() error {
	err := filepath.WalkDir(r.opt.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return atomicfile.Clean(path)
		}
		return err
	})
	if err != nil {
		return err
	}
	if r.done, err = ReadMetrics(r.opt.Dir); err != nil {
		return err
	}
	if len(r.done) == 0 {
		return nil
	}
	return r.publish() // a kill may have come between the commit and these
}

// Close unlocks the folder.
func (r *Run) Close() error {
	if r.trainer != nil {
		if err := r.trainer.Close(); err != nil {
			return fmt.Errorf("close run %s: %w", r.opt.Dir, err)
		}
	}
	return r.lock.Close()
}

// Generations is the number of committed generations.
func (r *Run) Generations() int { return len(r.done) }

// Best is the name of the model that plays, or "uniform" before the first.
func (r *Run) Best() string {
	if len(r.done) == 0 {
		return model.NoModel
	}
	return r.done[len(r.done)-1].Best
}

// Loop runs generations until Train.Generations are committed or ctx ends.
func (r *Run) Loop(ctx context.Context) error {
	for r.Generations() < r.opt.Train.Generations {
		if err := r.Generation(ctx); err != nil {
			return fmt.Errorf("generation %d: %w", r.Generations(), err)
		}
	}
	return nil
}

// A stage does its part of a generation and says in m what it saw.
type stage func(ctx context.Context, m *Metrics) error

// next runs stages of the next generation.
func (r *Run) next(ctx context.Context, stages ...stage) (Metrics, error) {
	m := Metrics{Generation: r.Generations(), Player: r.Best()}
	for _, s := range stages {
		if err := s(ctx, &m); err != nil {
			return m, err
		}
	}
	return m, nil
}

// Generation runs the three stages of the next generation, as far as they are
// not done yet, and commits it.
func (r *Run) Generation(ctx context.Context) error {
	m, err := r.next(ctx, r.selfplay, r.fit, r.gate)
	if err != nil {
		return err
	}
	return r.commit(m)
}

// Selfplay plays what is missing of the next generation's games.
func (r *Run) Selfplay(ctx context.Context) error {
	_, err := r.next(ctx, r.selfplay)
	return err
}

// Fit trains the next generation's candidate on the games there are; it wants
// them all.
func (r *Run) Fit(ctx context.Context) error {
	_, err := r.next(ctx, r.complete, r.fit)
	return err
}

// Gate plays the next generation's match and commits the generation; it wants
// the candidate.
func (r *Run) Gate(ctx context.Context) error {
	m, err := r.next(ctx, r.complete, r.trained, r.fit, r.gate)
	if err != nil {
		return err
	}
	return r.commit(m)
}

// complete is an error while games of the generation are missing.
func (r *Run) complete(_ context.Context, m *Metrics) error {
	want := r.opt.Selfplay.Games / r.opt.Selfplay.ShardGames
	shards, err := data.Shards(r.opt.Dir)
	if err != nil {
		return err
	}
	have := 0
	for _, s := range shards {
		if s.Generation == m.Generation {
			have++
		}
	}
	if have != want {
		return fmt.Errorf("generation %d has %d of %d shards: dojo selfplay plays the others", m.Generation, have, want)
	}
	return nil
}

// trained is an error while the generation has no candidate.
func (r *Run) trained(_ context.Context, m *Metrics) error {
	if _, err := os.Stat(r.trainerPath(m.Generation)); err != nil {
		return fmt.Errorf("generation %d has no candidate: dojo fit trains it", m.Generation)
	}
	return nil
}

// selfplay plays what is missing of the generation's games.
func (r *Run) selfplay(ctx context.Context, m *Metrics) error {
	e, err := r.evaluator(m.Player)
	if err != nil {
		return fmt.Errorf("self-play: %w", err)
	}
	start := time.Now()
	report := r.opt.Report.Stage(m.Generation, "self-play", r.opt.Selfplay.Games)
	played, err := selfplay.Run(ctx, selfplay.Options{
		Config:         r.opt.Selfplay,
		Search:         r.opt.Search,
		Game:           r.opt.Game,
		NewSearch:      r.opt.NewSearch,
		Evaluator:      e,
		Model:          m.Player,
		Root:           r.opt.Dir,
		Run:            r.opt.Name,
		Generation:     m.Generation,
		Seed:           r.opt.Seed,
		ProgramVersion: r.opt.ProgramVersion,
		Workers:        r.opt.Workers,
		Progress: func(t selfplay.Totals) {
			report(t.Games, fmt.Sprintf("%.1f games/s", float64(t.Games)/time.Since(start).Seconds()))
		},
	})
	if err != nil {
		return err
	}
	m.SelfplaySeconds = time.Since(start).Seconds()
	m.rates(played)
	return nil
}
