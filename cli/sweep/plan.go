package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dojo.example/configs"
	"dojo.example/configs/cost"
	"dojo.example/data/rundir"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"

	"github.com/goccy/go-yaml"
)

// plan is the content of plan.yaml: all measurements and what follows from them. Its arms
// never change.
type plan struct {
	Budget time.Duration `yaml:"budget"`
	Plies  float64       `yaml:"plies"` // expected actions in a game of self-play
	Arms   []planned     `yaml:"arms"`
}

// planned is the plan of an arm.
type planned struct {
	Name        string     `yaml:"name"`
	Costs       cost.Units `yaml:"costs"`
	Generations int        `yaml:"generations"`
}

// arm returns the plan of an arm.
func (p *plan) arm(name string) (planned, bool) {
	for _, a := range p.Arms {
		if a.Name == name {
			return a, true
		}
	}
	return planned{}, false
}

func (s *Sweep) planPath() string { return filepath.Join(s.opt.Dir, "plan.yaml") }

// makePlan reads the plan and adds missing arms. Arms of a kind have the same costs; those of a new
// kind are measured by pilots.
func (s *Sweep) makePlan(ctx context.Context) error {
	text, err := regular.Read(s.planPath(), rundir.MaxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.plan.Budget = s.opt.File.Budget
	case err != nil:
		return err
	default:
		if err := configs.Decode(s.planPath(), text, &s.plan); err != nil {
			return err
		}
	}
	if want := s.opt.File.Budget; s.plan.Budget != want {
		return fmt.Errorf("it was begun with a budget of %v, not %v; choose another folder with --out", s.plan.Budget, want)
	}
	costs := map[string]cost.Units{} // by kind
	for _, a := range s.arms {
		if p, ok := s.plan.arm(a.Name); ok {
			costs[kindOf(a.config)] = p.Costs
		}
	}
	if err := s.measure(ctx, costs); err != nil {
		return fmt.Errorf("measure costs: %w", err)
	}
	for i := range s.arms {
		a := &s.arms[i]
		p, ok := s.plan.arm(a.Name)
		if !ok {
			c := costs[kindOf(a.config)]
			p = planned{Name: a.Name, Costs: c, Generations: c.Generations(s.plan.Budget, cost.Expected(a.config, s.plan.Plies))}
			s.plan.Arms = append(s.plan.Arms, p)
		}
		a.planned = p
	}
	if text, err = yaml.Marshal(s.plan); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(s.planPath(), text); err != nil {
		return err
	}
	return os.RemoveAll(s.pilots())
}
