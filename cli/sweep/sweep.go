// Package sweep compares configurations of runs, its arms, by what they learn from the
// same CPU time. Every arm is run with several seeds. Statistics are over seeds: two runs
// of one configuration differ by some 30 Elo, however many games measure it.
//
// A sweep is a folder:
//
//	plan.yaml              unit costs, and the generations of each arm that follow from them
//	arms/sparse/seed-1/    a run
//	games.jsonl            the games of every match; "dojo evaluate --ladder" shows it too
//	lock                   held by the process that works on it
//
// Its work has three parts:
//
//   - The plan. Short pilot runs measure the CPU time of a simulation of self-play, a
//     sample of training and a game of the gate. They take turns, so that other load on
//     the machine affects all of them, and the lowest cost of several generations counts.
//     The budget divided by a generation's expected cost is the number of generations.
//     From then on nothing depends on time: the learning rate follows the number of
//     generations, and what a run has used is counted in units of work.
//   - The runs, one after another, each with all workers.
//   - The matches of the final models, in pairs of games. "Equal simulations" means the
//     same number on both sides; "equal time" means simulations in the ratio of the
//     speeds in the plan, which does not depend on the machine's load either. For the
//     curves, models after equal parts of the budget play a reference.
//
// A sweep does only what is missing in its folder: one that was killed goes on when it is
// run again, and arms or seeds that are added to its file are added to it. Only pilots
// begin anew.
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
	Program string // the program's version, for the runs
	Workers int    // number of goroutines of every stage and match; changes no result

	// Attach makes workers play games of a run with the given run.yaml, and Source games
	// of a match between named players. Both are nil without workers. Costs are always
	// measured without workers.
	Attach func(opt *train.Options, config string) error
	Source arena.Source

	// Progress announces a piece of work and its number of units. The function that
	// it returns is called with the number of units done so far.
	Progress func(what string, total int) func(done int)
}

// Sweep is a running sweep.
type Sweep struct {
	opt     Options
	env     arena.Env
	arms    []arm
	plan    plan
	log     *arena.MatchLog
	players map[string]arena.Contestant // models of runs, by their names
	played  func(now bool)              // called after each match, also one that was played before
}

// arm is an arm with what is planned for it.
type arm struct {
	Arm
	config  configs.Config // without the seed
	planned planned
}

// player names the run of an arm with a seed, such as sparse/1.
func (a arm) player(seed int) string { return a.Name + "/" + strconv.Itoa(seed) }

// Run does what is missing of the sweep, and returns the report.
func Run(ctx context.Context, opt Options) (report Report, err error) {
	s := &Sweep{opt: opt, players: map[string]arena.Contestant{}}
	for _, a := range opt.File.Arms {
		c, err := opt.File.config(a)
		if err != nil {
			return report, err
		}
		s.arms = append(s.arms, arm{Arm: a, config: c})
		if game := s.arms[0].config.Game; c.Game != game {
			return report, fmt.Errorf("arm %s is of %s, and arm %s of %s: they could not play each other", a.Name, c.Game, s.arms[0].Name, game)
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

// check returns an error if an arm or the reference cannot play the game.
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

// lock makes the sweep's folder and takes it for this process.
func (s *Sweep) lock() (*flock.Flock, error) {
	if err := os.MkdirAll(s.opt.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	lock := flock.New(filepath.Join(s.opt.Dir, "lock"))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("sweep %s: %w", s.opt.Dir, rundir.LockError(err))
	case !ok:
		return nil, fmt.Errorf("sweep %s: another process is working on it", s.opt.Dir)
	}
	return lock, atomicfile.Clean(s.opt.Dir, nil)
}

// run does the parts of the sweep in turn.
func (s *Sweep) run(ctx context.Context) (Report, error) {
	if err := s.makePlan(ctx); err != nil {
		return Report{}, fmt.Errorf("sweep %s: %w", s.opt.Dir, err)
	}
	for seed := 1; seed <= s.opt.File.Seeds; seed++ { // so that arms are level whenever it is stopped
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

// folder returns the folder of an arm's run.
func (s *Sweep) folder(a arm, seed int) rundir.Folder {
	return rundir.Folder(filepath.Join(s.opt.Dir, "arms", a.Name, "seed-"+strconv.Itoa(seed)))
}

// train makes a run or goes on with it.
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

// prepare finds a run, or decides what it will be, with the meter's configuration. It reports to the meter.
func (s *Sweep) prepare(folder rundir.Folder, name string, m *cost.Meter) (configs.Prepared, error) {
	p, err := configs.Frozen{Program: s.opt.Program, Name: name, Config: m.Config}.Prepare(folder, nil)
	if errors.As(err, new(configs.DifferentError)) {
		err = fmt.Errorf("%w; call the new arm otherwise", err)
	}
	p.Options.Workers, p.Options.Report = s.opt.Workers, m
	return p, err
}
