package sweep

import (
	"fmt"
	"time"

	"dojo.example/model"
	"dojo.example/train"
)

// side returns a model of a run as a player, and remembers the model's path.
func (s *Sweep) side(a arm, seed int, name string) (side, error) {
	if name == model.NoModel {
		return side{Player: name}, nil
	}
	x, path := side{Player: a.player(seed) + "/" + name}, s.folder(a, seed).Model(name)
	if x.Model = s.hashes[path]; x.Model == "" {
		c, err := model.Load(path)
		if err != nil {
			return x, err
		}
		x.Model = c.Hash()
		s.hashes[path], s.paths[x.Player] = x.Model, path
	}
	return x, nil
}

// final returns the best model of a complete run.
func (s *Sweep) final(a arm, seed int) (side, error) {
	name, err := s.folder(a, seed).Best()
	if err != nil {
		return side{}, err
	}
	return s.side(a, seed, name)
}

// charge returns the CPU time that generations of an arm have used.
func (s *Sweep) charge(a arm, done []train.Metrics) (spent time.Duration) {
	for _, m := range done {
		spent += a.planned.Costs.charge(workOf(a.config, m))
	}
	return spent
}

// point is a point of a run's learning curve.
type point struct {
	pairing
	spent time.Duration // CPU time that the run had used
}

// curve returns the points of a run's learning curve: the best models after equal parts
// of its generations, the last of which is the whole run.
func (s *Sweep) curve(a arm, seed int) ([]point, error) {
	done, err := train.ReadMetrics(s.folder(a, seed))
	if err != nil {
		return nil, err
	}
	if len(done) == 0 {
		return nil, fmt.Errorf("run %s has no generations", s.folder(a, seed))
	}
	reference, err := s.reference()
	if err != nil {
		return nil, err
	}
	var points []point
	n := min(s.opt.File.Points, len(done))
	for i := 1; i <= n; i++ {
		until := done[:i*len(done)/n]
		x, err := s.side(a, seed, until[len(until)-1].Best)
		if err != nil {
			return nil, err
		}
		x.Simulations = s.opt.File.Simulations
		points = append(points, point{pairing{A: x, B: reference, Games: s.opt.File.Games}, s.charge(a, until)})
	}
	return points, nil
}

// reference returns the opponent of the models of learning curves.
func (s *Sweep) reference() (side, error) {
	if s.opt.File.Reference != "" {
		return side{Player: s.opt.File.Reference}, nil
	}
	x, err := s.final(s.arms[0], 1)
	x.Simulations = s.opt.File.Simulations
	return x, err
}
