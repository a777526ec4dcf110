// Package train trains a network by self-play, in a run. A run has a number of generations. Each
// generation has three stages:
//
//   - self-play: the best model so far plays games against itself. The games are stored in files
//     (shards).
//   - fit: a candidate (a new model) is trained on the positions of the newest generations (the
//     window). Training continues from the state after the previous generation.
//   - gate: the candidate plays a match against the best model. If its result is good enough, it
//     becomes the best model.
//
// After the stages, the generation is committed: its record, [Metrics], is written, and the
// generation is part of the run from then on. The stages share data only through the run's folder
// (see package rundir). Any stage can therefore be killed and run again. It then uses the files
// that exist and makes the missing ones. Everything except times depends only on the settings and
// the run's seed, so a stage that runs twice writes the same files.
//
// With Config.Lag, the games of generation g are played while generation g−1 is trained and plays
// its gate match. The best model after generation g−2 plays these games.
//
// [Run] is a run that is open for these stages. [Open] opens a run with [Options]. A function of
// type [Games] supplies the games. The function [PlayHere] plays them in this process. Other
// processes may help by doing the same.
//
// [Distillation] is independent of runs. It trains a network, usually a small one, to give the same
// answers as another network.
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

// Options holds the settings of a run. The fields from Game to Start affect what is learnt.
type Options struct {
	Game    mcts.Game
	Network model.Network // network made by Network.For, so that it fits the game
	// Search settings of self-play; the gate and the ladder use them too, but without noise.
	Search   mcts.Config
	Selfplay selfplay.Config
	Train    Config
	Gate     Gate
	Seed     uint64

	// If the run starts from the weights of a model (rundir.StartModel), Start is the hash of this
	// model; see model.Checkpoint.Hash. If the run starts from random weights, Start is "".
	Start string

	// Players holds search settings for everybody who later plays with the models of the run. They
	// are stored in the models, but the run itself does not use them. If Players is zero, nothing
	// is stored; see think.Constants.
	Players mcts.Constants

	Data           data.Config // for how many generations samples are kept
	Folder         rundir.Folder
	Name           string // name of the run, written into the rows of shards
	ProgramVersion string // version of this program, written into shards, models and records
	Games          Games  // function that supplies the games; nil means PlayHere
	// Function that supplies the games of the gate matches; nil means arena.PlayHere.
	GateSource GateSource
	// The mark: a fixed player against which the rated models play in ladder matches, besides
	// earlier models; nil for none.
	Mark *arena.Contestant
	// Called with true when this process begins to train, and with false when it stops training;
	// may be nil.
	Training func(bool)
	Workers  int // number of goroutines that each stage uses
	Report   Reporter

	// Flags holds command-line flags of this process, such as --listen. If an error message advises
	// the user to run a command, the command includes these flags.
	Flags []string

	// Ledger records which results Games and GateSource got from workers. If it is nil, the ledger
	// in the run's folder is used. If a worker has sent a wrong result, Games and GateSource return
	// audit.ErrDoubt. The run then checks all results in doubt (see audit.Ledger.Settle) and begins
	// the generation again. If Games is not nil, the trainer states of some generations are kept,
	// so that little has to be trained again if the run goes back to an earlier generation.
	Ledger *audit.Ledger

	// Warn is called for problems that do not stop the run. It may be nil.
	Warn func(error)
}

// A Reporter is told about the progress of a run. Its methods are never called concurrently.
type Reporter interface {
	// Stage reports that a stage begins. total is the number of units of work in the stage. A unit
	// is a game for "self-play", "gate" and "ladder", a step for "train", and a shard or a pair for
	// "verify". The run then calls the returned function with the number of units done so far and a
	// short text. At the end of the stage it calls this function with done = total. The next call
	// of Stage or Generation means that the stage is over.
	Stage(generation int, stage string, total int) func(done int, remark string)

	// Generation reports that a generation has been committed.
	Generation(m Metrics)
}

// Validate returns an error if the settings are impossible for the game.
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
	// Play two games between random players to see whether the game has openings of this length.
	_, err = arena.Match(context.Background(), arena.Options{
		Game: o.Game.Game, A: arena.Random(), B: arena.Random(), Games: 2, OpeningPlies: o.Gate.OpeningPlies, Workers: 1,
	})
	if err != nil {
		return fmt.Errorf("gate: opening_plies: %w", err)
	}
	return nil
}

// CheckMemory returns an error if the searches of a generation could need more memory than this
// process is allowed to use. It considers two cases: self-play at the same time as a gate match,
// and the deep searches (see DeepStats).
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

// A Run is a run that this process has opened and locked. As long as it is open, no other process
// can train it or play its gate matches.
type Run struct {
	opt  Options
	lock *rundir.Lock
	done []Metrics // records of the committed generations

	ledger *audit.Ledger // records which results came from workers
	// The games of the next generation if they have been started; otherwise nil.
	early   *earlyGames
	window  window         // the samples that have been read; kept from generation to generation
	team    *parallel.Team // the goroutines that train
	trainer *graph.Trainer // nil until the first candidate is trained
}

// Open locks the run, reads its committed generations, and cleans up after a process that was
// killed.
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

// recover reads the committed generations and finishes the work of a process that was killed: a
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
	// If the previous process exited before it had checked a worker's shard, remove this shard. It
	// will be played again.
	unverified := r.ledger.Select(func(e audit.Entry) bool { return e.Picked && e.Generation >= len(r.done) })
	if err := r.ledger.Drop(unverified, r.drop); err != nil {
		return err
	}
	// The process that committed the last generation may have been killed before it called publish.
	return r.publish()
}

// Close stops the run's work in the background and unlocks the run.
func (r *Run) Close() error {
	r.dropEarly()
	r.team.Close()
	return r.lock.Close()
}

// Generations returns the number of committed generations.
func (r *Run) Generations() int { return len(r.done) }

// Best returns the name of the best model so far. Before the first generation, this is "uniform",
// unless the run started from a model.
func (r *Run) Best() string { return r.opt.best(r.done) }

// best returns the name of the model that is the best after the generations in done.
func (o *Options) best(done []Metrics) string {
	switch {
	case len(done) > 0:
		return done[len(done)-1].Best
	case o.Start != "":
		return rundir.StartModel
	}
	return model.NoModel
}

// Loop runs generations until Train.Generations of them are committed or ctx ends. If a generation
// fails because too many files are open, Loop retries it; see [process.Crowded].
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

// ErrComplete is the error for a run that has already committed all its generations.
var ErrComplete = errors.New("the run has all its generations; dojo train --generations makes it longer")

// next returns a new record for the generation that follows the generations in done. Only
// Generation, Player and Program are set.
func (o *Options) next(done []Metrics) (Metrics, error) {
	if len(done) >= o.Train.Generations {
		return Metrics{}, ErrComplete
	}
	return Metrics{Generation: len(done), Player: o.player(done, len(done)), Program: o.ProgramVersion}, nil
}

// A stage is a function that does one part of the work on generation m.Generation and fills in the
// corresponding fields of m.
type stage func(ctx context.Context, m *Metrics) error

// runStages runs the given stages for the next generation. If results of workers are removed in the
// meantime, it begins again with the first stage. program is the version of the program that is
// written into the generation's files.
func (r *Run) runStages(ctx context.Context, program string, stages ...stage) error {
	for {
		if err := r.runEach(ctx, program, stages); !errors.Is(err, audit.ErrDoubt) {
			return err
		}
	}
}

// runEach runs the stages one after another. Before each stage, it checks the results of workers
// that are in doubt.
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
		if ctx.Err() != nil { // checked here too, because a stage may load models before it looks at ctx
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

// Generation runs the stages of the next generation that are not complete, and commits the
// generation.
func (r *Run) Generation(ctx context.Context) error {
	return r.runStages(ctx, r.opt.ProgramVersion, r.games, r.trainCandidate, r.gate, r.ladder, r.commit)
}

// Fit runs only the stage fit, which trains the candidate of the next generation. If games of this
// generation are missing, it returns an error.
func (r *Run) Fit(ctx context.Context) error {
	return r.runStages(ctx, r.opt.ProgramVersion, r.trainCandidate)
}

// Gate runs the stage gate, which plays the gate match of the next generation, and commits the
// generation. If games or the candidate of this generation are missing, it returns an error.
func (r *Run) Gate(ctx context.Context) error {
	return r.runStages(ctx, r.opt.ProgramVersion, r.requireCandidate, r.trainCandidate, r.gate, r.ladder, r.commit)
}

// requireCandidate returns an error if the candidate of the generation has not been trained.
func (r *Run) requireCandidate(_ context.Context, m *Metrics) error {
	if _, err := os.Stat(r.opt.Folder.TrainerState(m.Generation)); err != nil {
		return fmt.Errorf("generation %d has no candidate: dojo selfplay plays its games, if any is missing, and dojo fit trains it", m.Generation)
	}
	return nil
}
