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

// measure measures the unit costs of those kinds of arms (configurations) that costs does not have
// yet, and adds them to costs. To do so, it trains short pilot runs, which take turns, one
// generation each. If the plan does not have the length of a game yet, measure sets it to the mean
// over the pilot runs' last generations.
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
		c.Seed = 1 << 32                    // no other run has this seed
		c.Train.Generations = math.MaxInt16 // so large that the learning rate does not decay
		c.Train.Lag = 0                     // prevents stages from overlapping
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

// playCost measures the CPU time per simulation of the model at path when it plays. It lets the
// model search positions from random games.
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

// kindOf returns a name for the kind of an arm with configuration c. Arms are of the same kind if
// all settings that affect costs are equal; they may differ, for example, in the learning rate.
// Arms of a kind share one measurement, so that noise in it cannot give them different budgets.
func kindOf(c configs.Config) string {
	return fmt.Sprint(c.Game, c.Network, c.MCTS.Simulations, c.Selfplay.Lanes, c.Train.Optimiser.Batch, c.Train.Precision, c.Gate.Simulations)
}
