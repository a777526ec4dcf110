// Package train trains a network by self-play, in a run. A run is a number of
// generations, and each generation has three stages:
//
//   - self-play: the best model so far plays games against itself, which are kept
//     in files, the shards;
//   - fit: a candidate is trained, starting where the last generation's ended, on
//     the positions of the newest generations, the window;
//   - gate: the candidate plays a match against the best model, and becomes the
//     best model if it does well enough.
//
// A generation is then committed: its record, [Metrics], is written, and it counts.
// The stages share nothing but the run's folder (see package rundir), so that any of
// them can be killed and run again: it uses the files that are there and makes those
// that are missing. Everything except times follows from the run's seed, so that a stage
// that runs twice gives the same files.
//
// With Config.Lag the games of a generation are played while the one before it is
// trained and gated, and so by the best model of the generation before that.
//
// [Run] is a run open for these stages, made from [Options]. The function [Games] supplies the
// games: [PlayHere] plays them in this process, possibly beside other processes that do the same.
//
// [Distillation] is apart from the loop: it trains a network, usually a small one, to
// answer as another does.
package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"dojo.example/arena"
	"dojo.example/data"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/internal/memory"
	"dojo.example/internal/parallel"
	"dojo.example/internal/process"
	"dojo.example/model"
	"dojo.example/model/graph"
	"dojo.example/search/mcts"
	"dojo.example/selfplay"
)

// Options is what a run is made of. The first fields, up to Seed, decide what is
// learnt.
type Options struct {
	Game     mcts.Game
	Network  model.Network // as Network.For fits it to the game
	Search   mcts.Config   // of self-play and, without noise, of the gates and the ladder
	Selfplay selfplay.Config
	Train    Config
	Gate     Gate
	Seed     uint64

	// Start is the hash (model.Checkpoint.Hash) of the model rundir.StartModel, with
	// whose weights the run begins; "" if it begins with random ones.
	Start string

	// Players has the constants that the models of the run keep for those who play with them later. The
	// run does not use them. If they are zero, the models keep none; see think.Constants.
	Players mcts.Constants

	Data           data.Config // how long samples are kept
	Folder         rundir.Folder
	Name           string            // the run's name, for the rows of shards
	ProgramVersion string            // of this program, for its shards, models and records
	Games          Games             // where games come from; nil is PlayHere
	GateSource     GateSource        // who plays the gate's matches; nil is arena.PlayHere
	Mark           *arena.Contestant // whom the models of the ladder meet besides each other; nil for nobody
	Training       func(bool)        // called with true when this process begins to train, with false when it ends; may be nil
	Workers        int               // number of goroutines in every stage
	Report         Reporter

	// Flags are flags of this process that the commands in errors repeat, such as --listen.
	Flags []string

	// Ledger says which results Games and GateSource have from workers; nil is the run's own. They return
	// audit.ErrDoubt when one of these was wrong: this process then deals with all that are doubted (see
	// audit.Ledger.Settle), and the generation begins again. The trainer states of some generations
	// are kept unless Games is nil, so that it takes little training to go back.
	Ledger *audit.Ledger

	// Warn is told of problems that do not stop the run; it may be nil.
	Warn func(error)
}

// Reporter is told of a run's progress, by one goroutine at a time.
type Reporter interface {
	// Stage announces total units of work of a stage: "self-play" counts
	// games, "train" steps, "gate" and "ladder" games, "verify" shards and pairs. The function it returns is called
	// with the units done so far and a short remark, and with total at the
	// end; the next call of Stage or Generation ends the stage.
	Stage(generation int, stage string, total int) func(done int, remark string)

	// Generation reports a generation that is complete.
	Generation(m Metrics)
}

// Validate returns an error for settings that this game makes impossible.
func (o *Options) Validate() error {
	start, err := o.Game.Deal(rand.New(rand.NewPCG(0, 0)))
	if err = cmp.Or(err, o.Game.Ends()); err != nil {
		return err
	}
	_, scores := start.State().(engine.Scorer)
	if o.Network.Margin > 0 && !scores {
		return fmt.Errorf("network: margin: %d is for a game with scores, and %s has none", o.Network.Margin, o.Game.Name)
	}
	if err := o.Network.CheckGame(o.Game.Spec); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	// Two games of random players show whether openings that long exist.
	_, err = arena.Match(context.Background(), arena.Options{
		Game: o.Game.Game, A: arena.Random(), B: arena.Random(), Games: 2, OpeningPlies: o.Gate.OpeningPlies, Workers: 1,
	})
	if err != nil {
		return fmt.Errorf("gate: opening_plies: %w", err)
	}
	return nil
}

// CheckMemory returns an error if this process may not take the memory that the searches of a
// generation can need: self-play's, while a gate plays, and afterwards deep ones.
func (o *Options) CheckMemory() error {
	job := o.Job(0, "", o.ProgramVersion, nil)
	if err := job.CheckMemory(); err != nil {
		return err
	}
	gate := memory.Times(2*o.Workers, o.Game.Bytes(o.Search, o.Gate.Simulations, true))
	if err := memory.Check(memory.Sum(job.Bytes(), gate), "a gate of %d simulations beside self-play on %d cores", o.Gate.Simulations, o.Workers); err != nil {
		return err
	}
	return memory.Check(memory.Times(o.Workers, o.deepBytes()), "deep searches of %d simulations on %d cores", deepFactor*o.Search.Simulations, o.Workers)
}

// Run is a run that is open in this process, which has locked it: no other process
// trains it or plays its gate meanwhile.
type Run struct {
	opt  Options
	lock *rundir.Lock
	done []Metrics // of the committed generations

	ledger  *audit.Ledger  // of the results of workers
	early   *earlyGames    // the games of the next generation, if they have been begun; else nil
	window  window         // the samples read so far, kept between generations
	team    *parallel.Team // trains
	trainer *graph.Trainer // nil until the first candidate is trained
}

// Open locks the run and reads how far it has come. It removes what a killed
// process left behind.
func Open(opt Options) (*Run, error) {
	if err := opt.Validate(); err != nil {
		return nil, fmt.Errorf("open run %s: %w", opt.Folder, err)
	}
	lock, err := opt.Folder.LockStages()
	if err != nil {
		return nil, fmt.Errorf("open run %s: %w", opt.Folder, err)
	}
	r := &Run{opt: opt, lock: lock, team: parallel.NewTeam(opt.Workers)}
	r.window = window{&r.opt, map[int]generation{}}
	if err := r.recover(); err != nil {
		return nil, fmt.Errorf("open run %s: %w", opt.Folder, errors.Join(err, r.Close()))
	}
	return r, nil
}

// recover reads the committed generations and makes sure that what publish writes
// is there.
func (r *Run) recover() (err error) {
	if r.done, err = ReadMetrics(r.opt.Folder); err != nil {
		return err
	}
	if r.ledger = r.opt.Ledger; r.ledger == nil {
		r.ledger, err = audit.Open(r.opt.Folder)
	} else {
		err = r.ledger.Refresh()
	}
	if err != nil {
		return err
	}
	if err := r.endReturn(context.Background()); err != nil {
		return err
	}
	// Shards whose verification had not ended when the last process did are played again.
	unverified := r.ledger.Select(func(e audit.Entry) bool { return e.Picked && e.Generation >= len(r.done) })
	if err := r.ledger.Drop(unverified, r.drop); err != nil {
		return err
	}
	return r.publish() // the process may have been killed between commit and publish
}

// Close ends what the run is doing, and unlocks it.
func (r *Run) Close() error {
	r.dropEarly()
	r.team.Close()
	return r.lock.Close()
}

// Generations is the number of committed generations.
func (r *Run) Generations() int { return len(r.done) }

// Best is the name of the best model so far; "uniform" before the first, if the run began
// with random weights.
func (r *Run) Best() string { return r.opt.best(r.done) }

// best is the name of the best model after the given generations.
func (o *Options) best(done []Metrics) string {
	switch {
	case len(done) > 0:
		return done[len(done)-1].Best
	case o.Start != "":
		return rundir.StartModel
	}
	return model.NoModel
}

// Loop runs generations until Train.Generations are committed or ctx ends. One for which files
// could not be opened begins again; see [process.Crowded].
func (r *Run) Loop(ctx context.Context) error {
	for {
		err := process.Crowded(ctx, func() error { return r.Generation(ctx) })
		if errors.Is(err, ErrComplete) {
			return r.opt.Folder.Forget(r.Generations()-3, 0)
		}
		if err != nil {
			return fmt.Errorf("generation %d: %w", r.Generations(), err)
		}
	}
}

// ErrComplete says that a run has all its generations.
var ErrComplete = errors.New("the run has all its generations; dojo train --generations makes it longer")

// next returns the metrics of the generation that follows done. Only its number and its player
// are filled in.
func (o *Options) next(done []Metrics) (Metrics, error) {
	if len(done) >= o.Train.Generations {
		return Metrics{}, ErrComplete
	}
	return Metrics{Generation: len(done), Player: o.player(done, len(done)), Program: o.ProgramVersion}, nil
}

// A stage does its part of generation m.Generation and fills in its part of m.
type stage func(ctx context.Context, m *Metrics) error

// runStages runs stages of the next generation, again from the first when results of workers were dropped.
// program is the version that its files name.
func (r *Run) runStages(ctx context.Context, program string, stages ...stage) error {
	for {
		if err := r.runEach(ctx, program, stages); !errors.Is(err, audit.ErrDoubt) {
			return err
		}
	}
}

// runEach runs stages one after another. Before each it deals with what is doubted.
func (r *Run) runEach(ctx context.Context, program string, stages []stage) error {
	if err := r.settle(ctx); err != nil {
		return err
	}
	m, err := r.opt.next(r.done)
	if err != nil {
		return err
	}
	m.Program = program
	for _, s := range stages {
		if ctx.Err() != nil { // a stage may load models before it looks
			return context.Cause(ctx)
		}
		if err := r.settle(ctx); err != nil {
			return err
		}
		if err := s(ctx, &m); err != nil {
			return err
		}
	}
	return nil
}

// Generation runs the remaining stages of the next generation and commits it.
func (r *Run) Generation(ctx context.Context) error {
	return r.runStages(ctx, r.opt.ProgramVersion, r.games, r.trainCandidate, r.gate, r.ladder, r.commit)
}

// Fit is the stage fit alone: it trains the next generation's candidate. It is an
// error if games of the generation are missing.
func (r *Run) Fit(ctx context.Context) error {
	return r.runStages(ctx, r.opt.ProgramVersion, r.trainCandidate)
}

// Gate is the stage gate alone: it plays the next generation's match and commits the
// generation. It is an error if games or the candidate are missing.
func (r *Run) Gate(ctx context.Context) error {
	return r.runStages(ctx, r.opt.ProgramVersion, r.requireCandidate, r.trainCandidate, r.gate, r.ladder, r.commit)
}

// requireCandidate returns an error while the generation has no candidate.
func (r *Run) requireCandidate(_ context.Context, m *Metrics) error {
	if _, err := os.Stat(r.opt.Folder.TrainerState(m.Generation)); err != nil {
		return fmt.Errorf("generation %d has no candidate: dojo selfplay plays its games, if any is missing, and dojo fit trains it", m.Generation)
	}
	return nil
}
