package sweep

import (
	"fmt"
	"time"

	"dojo.example/train"
)

// Report is the result of a sweep. Ratings are relative to the mean of the first arm.
type Report struct {
	Arms  []ArmResult
	Pairs []PairResult
}

// ArmResult is the result of an arm. Times are CPU time of all cores together, in
// seconds, computed from the work done and the unit costs.
type ArmResult struct {
	Arm         string   `json:"arm"`
	Game        string   `json:"game"`
	Settings    []string `json:"settings"`
	Seeds       int      `json:"seeds"`
	Generations int      `json:"generations"`
	Budget      float64  `json:"budget_s"`
	Used        float64  `json:"used_s"` // mean over seeds
	Costs       Costs    `json:"costs"`

	Equal Strength `json:"equal_simulations"`
	Timed Strength `json:"equal_time"`
	Curve []Point  `json:"curve"`
}

// Strength is how strong an arm's final models are.
type Strength struct {
	Simulations int `json:"simulations"` // a move
	Estimate
	Runs []float64 `json:"runs"` // Elo by seed

	runs []int // their places among the ratings
}

// Point is a point of an arm's learning curve: Elo against the reference.
type Point struct {
	Used float64 `json:"used_s"`
	Estimate
}

// PairResult is how much stronger A's runs are than B's on average.
type PairResult struct {
	A     string   `json:"a"`
	B     string   `json:"b"`
	Equal Estimate `json:"equal_simulations"`
	Timed Estimate `json:"equal_time"`
}

// report makes the report from the runs and the matches.
func (s *Sweep) report() (r Report, err error) {
	equal, timed, err := s.finalMatches()
	if err != nil {
		return r, err
	}
	equalElo, equalPlace := rated(equal)
	timedElo, timedPlace := rated(timed)
	for _, a := range s.arms {
		x := ArmResult{
			Arm: a.Name, Game: a.config.Game, Settings: a.Set, Seeds: s.opt.File.Seeds, Generations: a.planned.Generations,
			Budget: s.plan.Budget.Seconds(), Costs: a.planned.Costs,
		}
		if x.Used, err = s.used(a); err != nil {
			return r, err
		}
		if x.Equal, err = s.strength(a, equalPlace); err != nil {
			return r, err
		}
		if x.Timed, err = s.strength(a, timedPlace); err != nil {
			return r, err
		}
		x.Equal.Simulations, x.Timed.Simulations = s.opt.File.Simulations, s.timed(a)
		if x.Curve, err = s.points(a); err != nil {
			return r, err
		}
		r.Arms = append(r.Arms, x)
	}
	r.center(equalElo, timedElo)
	for i, a := range r.Arms {
		for _, b := range r.Arms[:i] {
			r.Pairs = append(r.Pairs, PairResult{a.Arm, b.Arm, equalElo.difference(a.Equal.runs, b.Equal.runs), timedElo.difference(a.Timed.runs, b.Timed.runs)})
		}
	}
	return r, nil
}

// finalMatches returns the results of the matches of final models.
func (s *Sweep) finalMatches() (equal, timed []Match, err error) {
	wanted, err := s.finals()
	if err != nil {
		return nil, nil, err
	}
	for i, p := range wanted {
		if i%2 == 0 {
			equal = append(equal, s.matches.played[p])
		} else {
			timed = append(timed, s.matches.played[p])
		}
	}
	return equal, timed, nil
}

// strength returns the strength of an arm, with the places of its runs' final models alone.
func (s *Sweep) strength(a arm, place map[string]int) (x Strength, err error) {
	for seed := 1; seed <= s.opt.File.Seeds; seed++ {
		model, err := s.final(a, seed)
		if err != nil {
			return x, err
		}
		x.runs = append(x.runs, place[model.Player])
	}
	return x, nil
}

// center shifts all ratings so that the mean of the first arm is 0, and estimates.
func (r *Report) center(equal, timed ratings) {
	for elo, of := range map[*ratings]func(*ArmResult) *Strength{
		&equal: func(a *ArmResult) *Strength { return &a.Equal },
		&timed: func(a *ArmResult) *Strength { return &a.Timed },
	} {
		zero := elo.sample(of(&r.Arms[0]).runs).mean
		for i := range elo.elo {
			elo.elo[i] -= zero
		}
		for i := range r.Arms {
			x := of(&r.Arms[i])
			for _, run := range x.runs {
				x.Runs = append(x.Runs, hundredths(elo.elo[run]))
			}
			x.Estimate = elo.estimate(x.runs)
		}
	}
}

// used returns the mean CPU time of an arm's runs.
func (s *Sweep) used(a arm) (float64, error) {
	var sum time.Duration
	for seed := 1; seed <= s.opt.File.Seeds; seed++ {
		done, err := train.ReadMetrics(s.folder(a, seed))
		if err != nil {
			return 0, err
		}
		sum += s.charge(a, done)
	}
	return sum.Seconds() / float64(s.opt.File.Seeds), nil
}

// points returns an arm's learning curve, the mean over its runs.
func (s *Sweep) points(a arm) ([]Point, error) {
	var points []Point
	var runs []ratings // by point and seed
	for seed := 1; seed <= s.opt.File.Seeds; seed++ {
		curve, err := s.curve(a, seed)
		if err != nil {
			return nil, err
		}
		if points == nil {
			points, runs = make([]Point, len(curve)), make([]ratings, len(curve))
		}
		if len(curve) != len(points) {
			return nil, fmt.Errorf("the runs of arm %s have different numbers of generations", a.Name)
		}
		for i, p := range curve {
			points[i].Used += p.spent.Seconds() / float64(s.opt.File.Seeds)
			if p.A == p.B { // the reference against itself
				runs[i].independent(0, 0)
				continue
			}
			runs[i].append(s.matches.played[p.pairing])
		}
	}
	all := make([]int, s.opt.File.Seeds)
	for i := range all {
		all[i] = i
	}
	for i := range points {
		points[i].Estimate = runs[i].estimate(all)
	}
	return points, nil
}
