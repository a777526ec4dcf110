package sweep

import (
	"context"
	"slices"

	"dojo.example/arena"
	"dojo.example/configs/cost"
	"dojo.example/train"
)

// Report is the result of a sweep. The Elo ratings in Arms are relative to the mean of the first
// arm (configuration), except those on learning curves.
type Report struct {
	Arms  []ArmResult
	Pairs []PairResult
}

// ArmResult is the result of an arm, one of the compared configurations. Its times are CPU seconds
// of all cores together, computed from the work done and the unit costs.
type ArmResult struct {
	Arm         string     `json:"arm"`
	Game        string     `json:"game"`
	Settings    []string   `json:"settings"`
	Seeds       int        `json:"seeds"`
	Generations int        `json:"generations"`
	Budget      float64    `json:"budget_s"`
	Used        float64    `json:"used_s"` // CPU time that a run used, mean over seeds
	Costs       cost.Units `json:"costs"`

	Equal Strength `json:"equal_simulations"`
	Timed Strength `json:"equal_time"`
	Curve []Point  `json:"curve"`
}

// Strength is the playing strength of the final models of an arm (a configuration).
type Strength struct {
	Simulations int `json:"simulations"` // per move
	Estimate
	Runs []float64 `json:"runs"` // one rating for each seed
}

// Point is a point of the learning curve of an arm (a configuration). Its Elo is relative to the
// reference player.
type Point struct {
	Used float64 `json:"used_s"`
	Estimate
}

// PairResult compares two arms (configurations). The estimates say by how many Elo the runs of A
// are, on average, stronger than the runs of B.
type PairResult struct {
	A     string   `json:"a"`
	B     string   `json:"b"`
	Equal Estimate `json:"equal_simulations"`
	Timed Estimate `json:"equal_time"`
}

// report plays the matches that are still missing, and returns the report.
func (s *Sweep) report(ctx context.Context) (r Report, err error) {
	f := s.opt.File
	progress, played := s.opt.Progress("matches", 2*len(s.meetings())+len(s.arms)*f.Seeds*f.Points), 0
	s.played = func(now bool) {
		if played++; now {
			progress(played)
		}
	}
	equal, err := s.finals(ctx, f.Games, func(arm) int { return f.Simulations })
	if err != nil {
		return r, err
	}
	timed, err := s.finals(ctx, f.TimedGames, s.timed)
	if err != nil {
		return r, err
	}
	reference, err := s.reference()
	if err != nil {
		return r, err
	}
	equal.center(s.arms[0], f.Seeds)
	timed.center(s.arms[0], f.Seeds)
	for i, a := range s.arms {
		x := ArmResult{
			Arm: a.Name, Game: a.config.Game, Settings: a.Set, Seeds: f.Seeds, Generations: a.planned.Generations,
			Budget: s.plan.Budget.Seconds(), Costs: a.planned.Costs,
			Equal: equal.strength(a, f.Seeds, f.Simulations), Timed: timed.strength(a, f.Seeds, s.timed(a)),
		}
		if x.Curve, err = s.curve(ctx, a, reference); err != nil {
			return r, err
		}
		x.Used = x.Curve[len(x.Curve)-1].Used
		r.Arms = append(r.Arms, x)
		for _, b := range s.arms[:i] {
			r.Pairs = append(r.Pairs, PairResult{a.Name, b.Name,
				equal.estimate(equal.places(a, f.Seeds), equal.places(b, f.Seeds)),
				timed.estimate(timed.places(a, f.Seeds), timed.places(b, f.Seeds))})
		}
	}
	return r, nil
}

// timed returns how many simulations per move the models of an arm (a configuration) get in timed
// matches.
func (s *Sweep) timed(a arm) int { return a.planned.Costs.Simulations(s.opt.File.MoveTime) }

// places returns the indices in the ratings of the runs of an arm (a configuration).
func (r ratings) places(a arm, seeds int) (places []int) {
	for seed := 1; seed <= seeds; seed++ {
		places = append(places, slices.Index(r.Players, a.player(seed)))
	}
	return places
}

// center shifts all ratings so that the mean rating of one arm (configuration) is 0.
func (r ratings) center(a arm, seeds int) {
	zero := r.sample(r.places(a, seeds)).mean
	for i := range r.Elo {
		r.Elo[i] -= zero
	}
}

// strength returns the strength of the runs of an arm (a configuration). simulations is the number
// per move in the matches that were rated.
func (r ratings) strength(a arm, seeds, simulations int) Strength {
	places := r.places(a, seeds)
	x := Strength{Simulations: simulations, Estimate: r.estimate(places, nil)}
	for _, i := range places {
		x.Runs = append(x.Runs, hundredths(r.Elo[i]))
	}
	return x
}

// reference returns the common opponent: every model on a learning curve plays against it.
func (s *Sweep) reference() (arena.Contestant, error) {
	if s.opt.File.Reference != "" {
		return arena.Parse(s.opt.File.Reference, s.env)
	}
	return s.final(s.arms[0], 1, s.opt.File.Simulations)
}

// curve plays the matches for the learning curve of an arm (a configuration) and returns its
// points. The points divide the generations of a run into equal parts. Each point is for the time
// after one more part: it is the rating of the best model by then, averaged over the arm's runs.
// The last point is for complete runs.
func (s *Sweep) curve(ctx context.Context, a arm, reference arena.Contestant) (points []Point, err error) {
	f := s.opt.File
	n := min(f.Points, a.planned.Generations)
	points = make([]Point, n)
	meetings := make([][]arena.Meeting, n) // indexed by point and then by seed
	for seed := 1; seed <= f.Seeds; seed++ {
		done, err := train.ReadMetrics(s.folder(a, seed))
		if err != nil {
			return nil, err
		}
		for i := range points {
			until := done[:(i+1)*len(done)/n]
			for _, m := range until {
				points[i].Used += a.planned.Costs.Charge(cost.Of(a.config, m)).Seconds() / float64(f.Seeds)
			}
			x, err := s.contestant(a, seed, until[len(until)-1].Best, f.Simulations)
			if err != nil {
				return nil, err
			}
			var m arena.Meeting
			if !x.Same(reference) {
				result, err := s.play(ctx, x, reference, f.Games)
				if err != nil {
					return nil, err
				}
				m = result.Meeting("", "")
			}
			meetings[i] = append(meetings[i], m)
		}
	}
	var all []int
	for seed := range f.Seeds {
		all = append(all, seed)
	}
	for i := range points {
		points[i].Estimate = against(meetings[i]).estimate(all, nil)
	}
	return points, nil
}
