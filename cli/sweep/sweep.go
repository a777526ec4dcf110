// Package sweep compares configurations of training runs, called arms: how strong do their models
// become in equal CPU time? Every arm is trained with several seeds, and all statistics treat a
// seed as one observation: two runs of the same configuration differ by some 30 Elo, no matter how
// many games measure the difference.
//
// A sweep has a folder:
//
//	plan.yaml              unit costs, and the number of generations of each arm
//	arms/sparse/seed-1/    a run
//	games.jsonl            the games of all matches; "dojo evaluate --ladder" reads it too
//	lock                   held by the process that works on the sweep
//
// The work of a sweep has three parts:
//
//   - The plan. Short pilot runs measure the CPU time of a simulation in self-play, a training
//     sample, a game of the gate match and a simulation in play. The pilot runs take turns, so that
//     other load on the machine affects all of them, and the lowest cost in several generations
//     counts. The number of generations is the budget divided by the expected cost of a generation.
//     Once the plan is made, nothing depends on time: the learning rate depends on the number of
//     generations, and the CPU time used by a run is computed from its units of work.
//   - The runs, one after another, each with all workers.
//   - The matches of the final models, in pairs of games. At "equal simulations", both sides search
//     the same number of simulations. At "equal time", these numbers are proportional to the speeds
//     in the plan, so the load on the machine does not matter. For learning curves, the models that
//     a run has after equal parts of its budget play against a reference player.
//
// A sweep does only the work whose results are missing in its folder. If it was killed, the same
// command continues it; only pilot runs start over. Arms and seeds that are added to the file are
// added to the sweep.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"dojo.example/arena"
	"dojo.example/configs"
	"dojo.example/configs/cost"
	"dojo.example/data/rundir"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/cputime"
	"dojo.example/train"

	"github.com/gofrs/flock"
)

// Options are the parameters of a sweep.
type Options struct {
	File    File
	Dir     string
	Program string // version of this program, recorded in the runs
	Workers int    // number of goroutines of every stage and match; does not change results

	// Attach changes opt so that workers help with the run whose run.yaml contains the text config.
	// Source lets workers play games of a match. Both are nil if no workers can join. Workers never
	// help while costs are measured.
	Attach func(opt *train.Options, config string) error
	Source arena.Source

	// Progress is called at the start of each piece of work, with its total number of units. The
	// sweep then reports progress by calling the returned function with the number of units done so
	// far.
	Progress func(what string, total int) func(done int)
}

// Sweep is a running sweep.
type Sweep struct {
	opt     Options
	env     arena.Env
	arms    []arm
	plan    plan
	log     *arena.MatchLog
	players map[string]arena.Contestant // models of runs, by name
	// played is called after each match. now is false if all games of the match had been played
	// before.
	played func(now bool)
}

// arm is one of the compared configurations, with its plan.
type arm struct {
	Arm
	config  configs.Config // the seed and the number of generations are not set
	planned planned
}

// player returns the player's name of the arm's run with the given seed, such as sparse/1.
func (a arm) player(seed int) string { return a.Name + "/" + strconv.Itoa(seed) }

// Run starts or continues a sweep, and returns the report.
func Run(ctx context.Context, opt Options) (report Report, err error) {
	s := &Sweep{opt: opt, players: map[string]arena.Contestant{}}
	for _, a := range opt.File.Arms {
		c, err := opt.File.config(a)
		if err != nil {
			return report, err
		}
		s.arms = append(s.arms, arm{Arm: a, config: c})
		if game := s.arms[0].config.Game; c.Game != game {
			return report, fmt.Errorf("arm %s is for the game %s, but arm %s is for %s: all arms of a sweep need the same game", a.Name, c.Game, s.arms[0].Name, game)
		}
	}
	game, err := games.ByName(s.arms[0].config.Game)
	if err != nil {
		return report, err
	}
	s.env = box.Env(game, opt.File.Simulations, nil)
	if err := s.check(); err != nil {
		return report, err
	}
	lock, err := s.lock()
	if err != nil {
		return report, err
	}
	report, err = s.run(ctx)
	return report, errors.Join(err, lock.Close())
}

// check returns an error if the configuration of an arm is invalid or the reference is not a
// player.
func (s *Sweep) check() error {
	for _, a := range s.arms {
		opt, err := configs.Frozen{Config: a.config}.Options(s.folder(a, 1))
		if err == nil {
			err = opt.Validate()
		}
		if err != nil {
			return fmt.Errorf("arm %s: %w", a.Name, err)
		}
	}
	if s.opt.File.Reference == "" {
		return nil
	}
	_, err := arena.Parse(s.opt.File.Reference, s.env)
	return err
}

// lock creates the sweep's folder if necessary, and locks it for this process.
func (s *Sweep) lock() (*flock.Flock, error) {
	if err := os.MkdirAll(s.opt.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	lock := flock.New(filepath.Join(s.opt.Dir, "lock"))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("sweep %s: %w", s.opt.Dir, rundir.LockError(err))
	case !ok:
		return nil, fmt.Errorf("sweep %s: another process is working on this sweep; stop it first, or choose another folder with --out", s.opt.Dir)
	}
	return lock, atomicfile.Clean(s.opt.Dir, nil)
}

// run makes the plan, trains the runs, plays the matches and returns the report.
func (s *Sweep) run(ctx context.Context) (Report, error) {
	if err := s.makePlan(ctx); err != nil {
		return Report{}, fmt.Errorf("sweep %s: %w", s.opt.Dir, err)
	}
	// Loop over seeds first, so that a stopped sweep has about the same number of runs for each arm
	// (configuration).
	for seed := 1; seed <= s.opt.File.Seeds; seed++ {
		for _, a := range s.arms {
			if err := s.train(ctx, a, seed); err != nil {
				return Report{}, fmt.Errorf("sweep %s: arm %s, seed %d: %w", s.opt.Dir, a.Name, seed, err)
			}
		}
	}
	var err error
	if s.log, err = arena.OpenMatchLog(s.env.Game.Name, filepath.Join(s.opt.Dir, "games.jsonl")); err != nil {
		return Report{}, err
	}
	r, err := s.report(ctx)
	if err != nil {
		err = fmt.Errorf("sweep %s: %w", s.opt.Dir, err)
	}
	return r, err
}

// folder returns the folder of an arm's run with the given seed.
func (s *Sweep) folder(a arm, seed int) rundir.Folder {
	return rundir.Folder(filepath.Join(s.opt.Dir, "arms", a.Name, "seed-"+strconv.Itoa(seed)))
}

// train starts or continues an arm's run with the given seed, and trains it to the end.
func (s *Sweep) train(ctx context.Context, a arm, seed int) error {
	c, done, progress := a.config, 0, func(int) {}
	c.Seed, c.Train.Generations = uint64(seed), a.planned.Generations
	meter := &cost.Meter{Config: c, Clock: cputime.Process, Done: func() { done++; progress(done) }}
	p, err := s.prepare(s.folder(a, seed), fmt.Sprintf("%s-seed-%d", a.Name, seed), meter)
	if err == nil {
		err = p.Begin()
	}
	if err != nil {
		return err
	}
	if done, err := train.ReadMetrics(p.Options.Folder); err != nil || len(done) == c.Train.Generations {
		return err
	}
	progress = s.opt.Progress(fmt.Sprintf("%s, seed %d", a.Name, seed), c.Train.Generations)
	if s.opt.Attach != nil {
		if err := s.opt.Attach(&p.Options, string(p.Text)); err != nil {
			return err
		}
	}
	r, err := p.Open()
	if err != nil {
		return err
	}
	done = r.Generations()
	return errors.Join(r.Loop(ctx), r.Close())
}

// prepare opens or creates the run in folder. The meter m has the run's configuration, and counts
// the run's work.
func (s *Sweep) prepare(folder rundir.Folder, name string, m *cost.Meter) (configs.Prepared, error) {
	p, err := configs.Frozen{Program: s.opt.Program, Name: name, Config: m.Config}.Prepare(folder, nil)
	if errors.As(err, new(configs.DifferentError)) {
		err = fmt.Errorf("%w; give the changed arm another name", err)
	}
	p.Options.Workers, p.Options.Report = s.opt.Workers, m
	return p, err
}
