// Package train trains a network by self-play, in a run. A run has a number of generations, and
// each generation has three stages:
//
//   - self-play: the best model so far plays games against itself. The games are kept in files,
//     the shards.
//   - fit: a candidate is trained on the positions of the newest generations, the window. Training
//     continues from the state after the previous generation.
//   - gate: the candidate plays a match against the best model. If it does well enough, it becomes
//     the best model.
//
// Then the generation is committed: its record, [Metrics], is written, and the generation counts.
// The stages share only the run's folder (see package rundir). Any stage can therefore be killed
// and run again: it uses the files that exist and makes those that are missing. Everything except
// times follows from the run's seed, so a stage that runs twice writes the same files.
//
// With Config.Lag, the games of a generation are played while the generation before it is trained
// and gated. The best model of the generation before that one plays them.
//
// [Run] is a run that is open for these stages; [Open] makes it from [Options]. A function of type
// [Games] supplies the games. [PlayHere] plays them in this process; other processes may do the
// same at the same time.
//
// [Distillation] is separate from this loop. It trains a network, usually a small one, to give the
// same answers as another network.
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

// Options holds the settings of a run. The fields up to Start decide what is learnt.
type Options struct {
	Game     mcts.Game
	Network  model.Network // fitted to the game by Network.For
	Search   mcts.Config   // search of self-play and, without noise, of the gates and the ladder
	Selfplay selfplay.Config
	Train    Config
	Gate     Gate
	Seed     uint64

	// Start is the hash (model.Checkpoint.Hash) of the model rundir.StartModel, from whose weights
	// the run starts. It is "" if the run starts from random weights.
	Start string

	// Players holds the search constants for everybody who later plays with the models of the run.
	// They are stored in the models, but the run does not use them. If they are zero, nothing is
	// stored; see think.Constants.
	Players mcts.Constants

	Data           data.Config // how long samples are kept
	Folder         rundir.Folder
	Name           string            // name of the run, written into the rows of shards
	ProgramVersion string            // version of this program, written into shards, models and records
	Games          Games             // supplies the games; nil means PlayHere
	GateSource     GateSource        // plays the gate's matches; nil means arena.PlayHere
	Mark           *arena.Contestant // a fixed opponent of the ladder, besides earlier models; nil for none
	Training       func(bool)        // called with true when this process begins to train, and with false when it ends; may be nil
	Workers        int               // number of goroutines in every stage
	Report         Reporter

	// Flags are flags of this process that the commands in errors repeat, such as --listen.
	Flags []string

	// Ledger records which results Games and GateSource got from workers; nil means the ledger in
	// the run's folder. If a worker's result was wrong, Games and GateSource return audit.ErrDoubt.
	// The run then deals with all results in doubt (see audit.Ledger.Settle) and begins the
	// generation again. If Games is not nil, the trainer states of some generations are kept, so
	// that going back takes little training.
	Ledger *audit.Ledger

	// Warn is called with problems that do not stop the run; it may be nil.
	Warn func(error)
}

// A Reporter receives the progress of a run, from one goroutine at a time.
type Reporter interface {
	// Stage begins a stage that has total units of work. The unit is a game for "self-play", "gate"
	// and "ladder", a step for "train", and a shard or pair for "verify". The run calls the
	// returned function with the number of units done and a short remark, and with total at the
	// end. The next call of Stage or Generation ends the stage.
	Stage(generation int, stage string, total int) func(done int, remark string)

	// Generation reports a generation that is committed.
	Generation(m Metrics)
}

// Validate returns an error if the game does not allow the settings.
func (o *Options) Validate() error {
	start, err := o.Game.Deal(rand.New(rand.NewPCG(0, 0)))
	if err = cmp.Or(err, o.Game.Ends()); err != nil {
		return err
	}
	_, scores := start.State().(engine.Scorer)
	if o.Network.Margin > 0 && !scores {
		return fmt.Errorf("network: margin: %d is for a game with scores, but %s has none; set it to 0", o.Network.Margin, o.Game.Name)
	}
	if err := o.Network.CheckGame(o.Game.Spec); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	// A match of two games between random players shows whether openings of this length exist.
	_, err = arena.Match(context.Background(), arena.Options{
		Game: o.Game.Game, A: arena.Random(), B: arena.Random(), Games: 2, OpeningPlies: o.Gate.OpeningPlies, Workers: 1,
	})
	if err != nil {
		return fmt.Errorf("gate: opening_plies: %w", err)
	}
	return nil
}

// CheckMemory returns an error if the searches of a generation can need more memory than this
// process may take. It counts self-play at the same time as a gate, and separately the deep
// searches.
func (o *Options) CheckMemory() error {
	job := o.Job(0, "", o.ProgramVersion, nil)
	if err := job.CheckMemory(); err != nil {
		return err
	}
	gate := memory.Times(2*o.Workers, o.Game.Bytes(o.Search, o.Gate.Simulations, true))
	if err := memory.Check(memory.Sum(job.Bytes(), gate), "a gate of %d simulations together with self-play on %d cores", o.Gate.Simulations, o.Workers); err != nil {
		return err
	}
	return memory.Check(memory.Times(o.Workers, o.deepBytes()), "deep searches of %d simulations on %d cores", deepFactor*o.Search.Simulations, o.Workers)
}

// A Run is a run that this process has opened and locked. No other process trains it or plays its
// gate meanwhile.
type Run struct {
	opt  Options
	lock *rundir.Lock
	done []Metrics // records of the committed generations

	ledger  *audit.Ledger  // results of workers
	early   *earlyGames    // the games of the next generation, if they have been begun; else nil
	window  window         // the samples read so far, kept between generations
	team    *parallel.Team // goroutines that train
	trainer *graph.Trainer // nil until the first candidate is trained
}

// Open locks the run and reads its committed generations. It also cleans up what a killed process
// left behind.
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

// recover reads the committed generations and finishes what a killed process left unfinished: a
// return to an earlier generation, checks of workers' results, and the files that publish writes.
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
	// If a check of a worker's shard had not ended when the last process did, drop the shard: it is
	// played again.
	unverified := r.ledger.Select(func(e audit.Entry) bool { return e.Picked && e.Generation >= len(r.done) })
	if err := r.ledger.Drop(unverified, r.drop); err != nil {
		return err
	}
	return r.publish() // the process may have been killed between commit and publish
}

// Close stops background work of the run and unlocks it.
func (r *Run) Close() error {
	r.dropEarly()
	r.team.Close()
	return r.lock.Close()
}

// Generations is the number of committed generations.
func (r *Run) Generations() int { return len(r.done) }

// Best is the name of the best model so far. Before the first generation it is "uniform", unless
// the run started from a model.
func (r *Run) Best() string { return r.opt.best(r.done) }

// best is the name of the best model after the generations in done.
func (o *Options) best(done []Metrics) string {
	switch {
	case len(done) > 0:
		return done[len(done)-1].Best
	case o.Start != "":
		return rundir.StartModel
	}
	return model.NoModel
}

// Loop runs generations until Train.Generations are committed or ctx ends. If a generation fails
// because too many files are open, Loop runs it again; see [process.Crowded].
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

// ErrComplete means that a run has committed all its generations.
var ErrComplete = errors.New("the run has all its generations; dojo train --generations makes it longer")

// next returns the metrics of the generation that follows done. Only Generation, Player and Program
// are set.
func (o *Options) next(done []Metrics) (Metrics, error) {
	if len(done) >= o.Train.Generations {
		return Metrics{}, ErrComplete
	}
	return Metrics{Generation: len(done), Player: o.player(done, len(done)), Program: o.ProgramVersion}, nil
}

// A stage does its part of generation m.Generation and fills in its part of m.
type stage func(ctx context.Context, m *Metrics) error

// runStages runs stages of the next generation. If results of workers are dropped meanwhile, it
// begins again with the first stage. program is the version that the generation's files name.
func (r *Run) runStages(ctx context.Context, program string, stages ...stage) error {
	for {
		if err := r.runEach(ctx, program, stages); !errors.Is(err, audit.ErrDoubt) {
			return err
		}
	}
}

// runEach runs the stages one after another. Before each stage it deals with results in doubt.
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
		if ctx.Err() != nil { // a stage may load models before it checks ctx
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

// Fit runs only the stage fit: it trains the next generation's candidate. If games of the
// generation are missing, Fit returns an error.
func (r *Run) Fit(ctx context.Context) error {
	return r.runStages(ctx, r.opt.ProgramVersion, r.trainCandidate)
}

// Gate runs only the stage gate: it plays the next generation's match and commits the generation.
// If the generation's games or its candidate are missing, Gate returns an error.
func (r *Run) Gate(ctx context.Context) error {
	return r.runStages(ctx, r.opt.ProgramVersion, r.requireCandidate, r.trainCandidate, r.gate, r.ladder, r.commit)
}

// requireCandidate returns an error if the generation has no candidate yet.
func (r *Run) requireCandidate(_ context.Context, m *Metrics) error {
	if _, err := os.Stat(r.opt.Folder.TrainerState(m.Generation)); err != nil {
		return fmt.Errorf("generation %d has no candidate: dojo selfplay plays its games, if any is missing, and dojo fit trains it", m.Generation)
	}
	return nil
}
