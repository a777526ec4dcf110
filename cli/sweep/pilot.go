package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"dojo.example/configs"
	"dojo.example/configs/cost"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/internal/cputime"
	"dojo.example/model"
	"dojo.example/search/think"
	"dojo.example/train"
)

// pilots returns the folder of the pilot runs.
func (s *Sweep) pilots() string { return filepath.Join(s.opt.Dir, "pilots") }

// pilot is a short run whose stages are measured.
type pilot struct {
	*cost.Meter
	kind   string
	folder rundir.Folder
	run    *train.Run
}

// measure adds the unit costs of the kinds of arms that have none, by pilots that play a generation
// each in turn. If the plan has no length of games yet, it becomes the mean of the last generations.
func (s *Sweep) measure(ctx context.Context, costs map[string]cost.Units) (err error) {
	generations, done := s.opt.File.Pilot+1, 0
	var progress func(done int)
	var pilots []pilot
	for _, a := range s.arms {
		c, kind := a.config, kindOf(a.config)
		if _, known := costs[kind]; known {
			continue
		}
		costs[kind] = cost.Units{}
		c.Seed = 1 << 32                    // the seed of no run
		c.Train.Generations = math.MaxInt16 // so that the learning rate stays high
		c.Train.Lag = 0                     // so that stages do not overlap
		pilots = append(pilots, pilot{
			Meter: &cost.Meter{Config: c, Clock: cputime.Process, Done: func() { done++; progress(done) }}, kind: kind,
			folder: rundir.Folder(filepath.Join(s.pilots(), strconv.Itoa(len(pilots)))),
		})
	}
	if len(pilots) == 0 {
		return nil
	}
	if err := os.RemoveAll(s.pilots()); err != nil {
		return err
	}
	progress = s.opt.Progress("measuring costs", len(pilots)*generations)
	defer func() {
		for _, p := range pilots {
			if p.run != nil {
				err = errors.Join(err, p.run.Close())
			}
		}
	}()
	for i := range pilots {
		p := &pilots[i]
		frozen, err := s.begin(p.folder, "pilot-"+strconv.Itoa(i), p.Config)
		if err != nil {
			return err
		}
		if p.run, err = s.open(p.folder, frozen, p.Meter, nil); err != nil {
			return err
		}
	}
	for range generations {
		for _, p := range pilots {
			if err := p.run.Generation(ctx); err != nil {
				return err
			}
		}
	}
	if s.plan.Plies == 0 {
		for _, p := range pilots {
			s.plan.Plies += p.Plies / float64(len(pilots))
		}
	}
	const rounds = 5
	for range rounds {
		for _, p := range pilots {
			play, err := s.playCost(ctx, p)
			if err != nil {
				return err
			}
			p.Least = p.Least.Least(cost.Units{Play: play})
			costs[p.kind] = p.Least
		}
	}
	return nil
}

// playCost returns the CPU time of a simulation of a player, the last model of a pilot, in
// positions of random games.
func (s *Sweep) playCost(ctx context.Context, of pilot) (time.Duration, error) {
	const positions, visits = 40, 500
	c, err := s.env.Load(of.folder.Model(rundir.ModelName(s.opt.File.Pilot)))
	if err != nil {
		return 0, err
	}
	opt, err := think.Model(c, model.Best)
	if err != nil {
		return 0, err
	}
	t, game := think.New(s.env.Game, opt), s.env.Game
	rng, simulations, spent := rand.New(rand.NewPCG(1, 0)), 0, time.Duration(0)
	p, err := game.Deal(rng)
	if err != nil {
		return 0, err
	}
	for range positions {
		t.NewGame(1)
		start := cputime.Process()
		if _, err := t.Think(ctx, p, think.Budget{Visits: visits}); err != nil {
			return 0, err
		}
		spent += cputime.Process() - start
		simulations += t.Simulations
		legal := p.Legal(nil)
		if p = p.Play(legal[rng.IntN(len(legal))]); p.Outcome() != engine.Ongoing {
			if p, err = game.Deal(rng); err != nil {
				return 0, err
			}
		}
	}
	return cost.Each(spent, float64(simulations)), nil
}

// kindOf names the kind of an arm. Arms of one kind have the same unit costs, because all settings
// that affect costs are equal. Arms that differ in the learning rate, for example, are of one kind,
// so that measurement noise does not give them different budgets.
func kindOf(c configs.Config) string {
	return fmt.Sprint(c.Game, c.Network, c.MCTS.Simulations, c.Selfplay.Lanes, c.Train.Optimiser.Batch, c.Train.Precision, c.Gate.Simulations)
}
