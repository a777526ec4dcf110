package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"dojo.example/configs"
	"dojo.example/configs/cost"
	"dojo.example/data/rundir"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"

	"github.com/goccy/go-yaml"
)

// plan is the content of plan.yaml: the measured costs, and the number of generations of each arm
// (configuration) computed from them. Entries for arms never change, but new ones can be added.
type plan struct {
	Budget time.Duration `yaml:"budget"`
	Plies  float64       `yaml:"plies"` // expected number of actions in a game of self-play
	Arms   []planned     `yaml:"arms"`
}

// planned holds the plan for one arm (configuration).
type planned struct {
	Name        string     `yaml:"name"`
	Costs       cost.Units `yaml:"costs"`
	Generations int        `yaml:"generations"`
}

// index returns the index in p.Arms of the arm (configuration) with the given name, or -1 if the
// plan does not have it.
func (p *plan) index(arm string) int {
	return slices.IndexFunc(p.Arms, func(a planned) bool { return a.Name == arm })
}

// makePlan reads the plan if it exists, adds missing arms (configurations), and writes the plan.
// Arms of the same kind share their costs. If a kind is new, pilot runs measure its costs.
func (s *Sweep) makePlan(ctx context.Context) error {
	path := filepath.Join(s.opt.Dir, "plan.yaml")
	s.plan.Budget = s.opt.File.Budget
	text, err := regular.Read(path, rundir.MaxConfig)
	if err == nil {
		err = configs.Decode(path, text, &s.plan)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if want := s.opt.File.Budget; s.plan.Budget != want {
		return fmt.Errorf("the sweep in this folder has a budget of %v, not %v; for another budget, choose another folder with --out", s.plan.Budget, want)
	}
	costs := map[string]cost.Units{} // by kind
	for _, a := range s.arms {
		if i := s.plan.index(a.Name); i >= 0 {
			costs[kindOf(a.config)] = s.plan.Arms[i].Costs
		}
	}
	if err := s.measure(ctx, costs); err != nil {
		return fmt.Errorf("measuring costs: %w", err)
	}
	for i := range s.arms {
		a := &s.arms[i]
		if s.plan.index(a.Name) < 0 {
			c := costs[kindOf(a.config)]
			s.plan.Arms = append(s.plan.Arms, planned{a.Name, c, c.Generations(s.plan.Budget, cost.Expected(a.config, s.plan.Plies))})
		}
		a.planned = s.plan.Arms[s.plan.index(a.Name)]
	}
	if text, err = yaml.Marshal(s.plan); err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, text)
}
