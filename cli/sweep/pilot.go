package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"dojo.example/configs"
	"dojo.example/configs/cost"
	"dojo.example/data/rundir"
	"dojo.example/internal/cputime"
	"dojo.example/internal/scratch"
	"dojo.example/model"
	"dojo.example/search/think"
	"dojo.example/train"
)

// measure measures the unit costs of each kind of arm (configuration) that is missing in costs, and
// adds them. For this it trains short pilot runs. The pilot runs take turns, one generation each.
// If the plan does not know the length of a game yet, measure sets it to the mean over the last
// generations.
func (s *Sweep) measure(ctx context.Context, costs map[string]cost.Units) (err error) {
	if !slices.ContainsFunc(s.arms, func(a arm) bool { _, known := costs[kindOf(a.config)]; return !known }) {
		return nil
	}
	dir, remove, err := scratch.Folder("sweep")
	if err != nil {
		return err
	}
	var meters []*cost.Meter
	var runs []*train.Run
	defer func() {
		for _, r := range runs {
			err = errors.Join(err, r.Close())
		}
		err = errors.Join(err, remove())
	}()
	pilot := func(i int) rundir.Folder { return rundir.Folder(filepath.Join(dir, "pilot-"+strconv.Itoa(i))) }
	done, progress := 0, func(int) {}
	for _, a := range s.arms {
		c, kind := a.config, kindOf(a.config)
		if _, known := costs[kind]; known {
			continue
		}
		costs[kind] = cost.Units{}
		c.Seed = 1 << 32                    // a seed that no run has
		c.Train.Generations = math.MaxInt16 // so high that the learning rate does not fall
		c.Train.Lag = 0                     // keeps stages from overlapping
		m := &cost.Meter{Config: c, Clock: cputime.Process, Done: func() { done++; progress(done) }}
		p, err := s.prepare(pilot(len(runs)), pilot(len(runs)).Base(), m)
		if err != nil {
			return err
		}
		r, err := p.Open()
		if err != nil {
			return err
		}
		meters, runs = append(meters, m), append(runs, r)
	}
	generations := s.opt.File.Pilot + 1
	if len(runs) > 0 {
		progress = s.opt.Progress("measuring costs", len(runs)*generations)
	}
	for range generations {
		for _, r := range runs {
			if err := r.Generation(ctx); err != nil {
				return err
			}
		}
	}
	const rounds = 5
	for range rounds {
		for i, m := range meters {
			play, err := s.playCost(ctx, pilot(i).Model(rundir.ModelName(generations-1)))
			if err != nil {
				return err
			}
			m.Least = m.Least.Least(cost.Units{Play: play})
		}
	}
	known := s.plan.Plies > 0
	for _, m := range meters {
		costs[kindOf(m.Config)] = m.Least
		if !known {
			s.plan.Plies += m.Plies / float64(len(meters))
		}
	}
	return nil
}

// playCost returns the CPU time per simulation of the model at path. It lets the model play in
// positions of random games.
func (s *Sweep) playCost(ctx context.Context, path string) (time.Duration, error) {
	const positions, visits = 40, 500
	c, err := s.env.Load(path)
	if err != nil {
		return 0, err
	}
	opt, err := think.Model(c, model.Best)
	if err != nil {
		return 0, err
	}
	all, err := s.env.Game.RandomPositions(positions, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		return 0, err
	}
	t, simulations, spent := think.New(s.env.Game, opt), 0, time.Duration(0)
	for _, p := range all {
		t.NewGame(1)
		start := cputime.Process()
		if _, err := t.Think(ctx, p, think.Budget{Visits: visits}); err != nil {
			return 0, err
		}
		spent += cputime.Process() - start
		simulations += t.Simulations
	}
	return cost.Each(spent, float64(simulations)), nil
}

// kindOf returns a name for the kind of an arm (a configuration). Arms of the same kind have equal
// values of all settings that affect costs, for example arms that differ only in the learning rate.
// They share the same measured costs, so noise in the measurement cannot give them different
// budgets.
func kindOf(c configs.Config) string {
	return fmt.Sprint(c.Game, c.Network, c.MCTS.Simulations, c.Selfplay.Lanes, c.Train.Optimiser.Batch, c.Train.Precision, c.Gate.Simulations)
}
