// Package train is the generation loop: self-play by the best model, a window
// of recent generations, optimiser steps, a candidate, a gate match. Its
// stages share nothing but the run's folder (see package run), so any of them
// can be killed and run again. A generation without a record is continued from
// the shards and files it has; all that it does follows from the run's seed, so
// what is done twice comes out the same.
//
// The loop is told where its games come from: [Games] sees to it that the
// shards of a generation are in the folder, and [PlayHere] is the one that plays
// them in this process, beside others that do the same.
package train

import (
	"context"
	"errors"
	"fmt"
	"os"

	"dojo/arena"
	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
	"dojo/model/graph"
	"dojo/run"
	"dojo/selfplay"
)

// Options is what a run is given. All but Games, Workers and Report decide what
// is learned.
type Options struct {
	Game      engine.Game
	NewSearch func(mcts.Config) mcts.Search
	Network   model.Network // fitted to the game
	Search    mcts.Config
	Selfplay  selfplay.Config
	Train     Config
	Gate      Gate
	Seed      uint64

	Folder         run.Folder
	Name           string // the run's name, for rows
	ProgramVersion string
	Games          Games // where games come from; nil is PlayHere
	Workers        int   // goroutines of every stage
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

// Validate reports what the game makes impossible, before anything is made.
func (o *Options) Validate() error {
	if o.Network.Margin > 0 && !scores(o.Game) {
		return fmt.Errorf("network: margin: %d is for a game with scores, and %s has none", o.Network.Margin, o.Game.Name)
	}
	if err := o.Network.CheckGame(o.Game.Spec); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	// Two random games show whether there are openings for the gate.
	_, err := arena.Match(context.Background(), arena.Options{
		Game: o.Game, A: arena.Random(), B: arena.Random(), Games: 2, OpeningPlies: o.Gate.OpeningPlies, Workers: 1,
	})
	if err != nil {
		return fmt.Errorf("gate: opening_plies: %w", err)
	}
	return nil
}

// origin is where the samples of the run come from.
func (o *Options) origin() origin {
	return origin{run: o.Name, seed: o.Seed, games: o.Selfplay.ShardGames, margin: o.Network.Margin > 0}
}

// Run is a run whose stages are locked for this process.
type Run struct {
	opt  Options
	lock *run.Lock
	done []Metrics // of the committed generations

	window  *window        // samples read so far, kept between generations
	trainer *graph.Trainer // made by the first Fit
}

// Open locks the run and reads how far it has come. Leftovers of a killed
// process are removed.
func Open(opt Options) (*Run, error) {
	if err := opt.Validate(); err != nil {
		return nil, fmt.Errorf("open run %s: %w", opt.Folder, err)
	}
	lock, err := opt.Folder.LockStages()
	if err != nil {
		return nil, fmt.Errorf("open run %s: %w", opt.Folder, err)
	}
	r := &Run{opt: opt, lock: lock, window: newWindow(opt.Game, opt.Train.SearchValueShare, opt.origin())}
	r.window.lists = opt.Network.Kind == model.Sparse
	if err := r.recover(); err != nil {
		return nil, fmt.Errorf("open run %s: %w", opt.Folder, errors.Join(err, r.Close()))
	}
	return r, nil
}

// recover reads the committed generations.
func (r *Run) recover() (err error) {
	if r.done, err = ReadMetrics(r.opt.Folder); err != nil {
		return err
	}
	if len(r.done) == 0 {
		return nil
	}
	return r.publish() // a kill may have come between the commit and these
}

// Close unlocks the run.
func (r *Run) Close() error {
	if r.trainer != nil {
		if err := r.trainer.Close(); err != nil {
			return fmt.Errorf("close run %s: %w", r.opt.Folder, err)
		}
	}
	return r.lock.Close()
}

// Generations is the number of committed generations.
func (r *Run) Generations() int { return len(r.done) }

// Best is the name of the model that plays, or "uniform" before the first.
func (r *Run) Best() string { return best(r.done) }

// best is the name of the model that plays after the given generations.
func best(done []Metrics) string {
	if len(done) == 0 {
		return model.NoModel
	}
	return done[len(done)-1].Best
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

// ErrComplete means that a run has all its generations.
var ErrComplete = errors.New("the run has all its generations; dojo train --generations makes it longer")

// next is the generation that follows on those that are done.
func (o *Options) next(done []Metrics) (Metrics, error) {
	if len(done) >= o.Train.Generations {
		return Metrics{}, ErrComplete
	}
	return Metrics{Generation: len(done), Player: best(done)}, nil
}

// A stage does its part of a generation and says in m what it saw.
type stage func(ctx context.Context, m *Metrics) error

// next runs stages of the next generation.
func (r *Run) next(ctx context.Context, stages ...stage) (Metrics, error) {
	m, err := r.opt.next(r.done)
	if err != nil {
		return m, err
	}
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
	want := r.opt.Selfplay.Shards()
	missing, err := r.opt.Folder.Missing(m.Generation, want)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("generation %d has %d of %d shards: dojo selfplay plays the others", m.Generation, want-len(missing), want)
	}
	return nil
}

// trained is an error while the generation has no candidate.
func (r *Run) trained(_ context.Context, m *Metrics) error {
	if _, err := os.Stat(r.opt.Folder.Trainer(m.Generation)); err != nil {
		return fmt.Errorf("generation %d has no candidate: dojo fit trains it", m.Generation)
	}
	return nil
}
