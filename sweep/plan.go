package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"dojo.example/configs"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"
	"dojo.example/run"

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
	Name        string `yaml:"name"`
	Costs       Costs  `yaml:"costs"`
	Generations int    `yaml:"generations"`
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

// makePlan reads the plan and adds missing arms.
func (s *Sweep) makePlan(ctx context.Context) error {
	text, err := regular.Read(s.planPath(), run.MaxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.plan = plan{Budget: s.opt.File.Budget, Plies: s.opt.File.Plies}
	case err != nil:
		return err
	default:
		if err := configs.Decode(s.planPath(), text, &s.plan); err != nil {
			return err
		}
	}
	switch want := s.opt.File; {
	case s.plan.Budget != want.Budget:
		return fmt.Errorf("it was begun with a budget of %v, not %v; choose another folder with --out", s.plan.Budget, want.Budget)
	case want.Plies > 0 && s.plan.Plies != want.Plies:
		return fmt.Errorf("it was begun with games of %v plies, not %v; choose another folder with --out", s.plan.Plies, want.Plies)
	}
	costs, err := s.costs(ctx)
	if err != nil {
		return err
	}
	changed := false
	for i := range s.arms {
		a := &s.arms[i]
		p, ok := s.plan.arm(a.Name)
		if !ok {
			p = planned{Name: a.Name, Costs: costs[i]}
			p.Generations = p.Costs.generations(s.plan.Budget, expected(a.config, cmp.Or(a.Plies, s.plan.Plies)))
			s.plan.Arms = append(s.plan.Arms, p)
			changed = true
		}
		a.planned = p
	}
	if !changed {
		return nil
	}
	if text, err = yaml.Marshal(s.plan); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(s.planPath(), text); err != nil {
		return err
	}
	return os.RemoveAll(s.pilots())
}

// costs returns the unit costs of each arm that is not in the plan: those of the file,
// else those of an arm of its kind in the plan, else measured ones.
func (s *Sweep) costs(ctx context.Context) ([]Costs, error) {
	costs, known := make([]Costs, len(s.arms)), map[string]Costs{}
	for _, a := range s.arms {
		if p, ok := s.plan.arm(a.Name); ok {
			known[kindOf(a.config)] = p.Costs
		}
	}
	var pilots []*pilot
	byKind := map[string]*pilot{}
	for i, a := range s.arms {
		k := kindOf(a.config)
		costs[i] = a.Costs.or(known[k])
		if _, ok := s.plan.arm(a.Name); ok || costs[i].known() && cmp.Or(a.Plies, s.plan.Plies) > 0 || byKind[k] != nil {
			continue
		}
		p := &pilot{folder: run.Folder(filepath.Join(s.pilots(), strconv.Itoa(len(pilots)))), config: a.config}
		pilots, byKind[k] = append(pilots, p), p
	}
	if err := s.measure(ctx, pilots); err != nil {
		return nil, fmt.Errorf("measure costs: %w", err)
	}
	for i, a := range s.arms {
		if p := byKind[kindOf(a.config)]; p != nil {
			costs[i] = costs[i].or(p.meter.least)
		}
	}
	return costs, nil
}
