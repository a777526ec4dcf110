package train

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dojo/engine"
	"dojo/internal/parallel"
	"dojo/mcts"
	"dojo/model"
	"dojo/think"
)

// DeepStats says how far the search of self-play is from a search of 16 times as many
// simulations, with the model that played, by PUCT and without noise: if longer searches choose
// otherwise, the search is what limits the targets. They are means over one in 1,024 of
// the new positions, evenly spread (at least one, and at most 256), so that measuring
// takes 1.6 % of the simulations of self-play. The generation that has no model leaves
// them at 0.
type DeepStats struct {
	Positions   int     `json:"positions"`
	Agreement   float64 `json:"agreement"`    // share of positions in which both searches choose the same action
	ValueChange float64 `json:"value_change"` // mean |value of the long search − value of the short one|
}

const (
	deeper    = 16   // times the simulations of self-play
	probeOf   = 1024 // positions there is one that is searched
	maxProbes = 256
	deepLanes = 8 // searches of a worker at a time
)

// probes are the positions to search, of so many in a generation, by number.
func probes(positions int) []int {
	n := min(max(1, positions/probeOf), maxProbes)
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i * positions / n
	}
	return numbers
}

// A probe is what two searches found of a position.
type probe struct {
	action      engine.Action // of the short one
	value       float32       // of the short one, First's
	same        bool          // the long one chose it too
	valueChange float64
}

// deepen measures the search of a generation with the model that played it.
func (r *Run) deepen(ctx context.Context, m *Metrics) (stats DeepStats, err error) {
	if m.Player == model.NoModel {
		return stats, nil
	}
	e, err := r.opt.evaluator(m.Player)
	if err != nil {
		return stats, err
	}
	positions := r.window.generations[m.Generation].probes
	found := make([]probe, len(positions))
	groups := min(r.opt.Workers, len(positions))
	errs := make([]error, groups)
	parallel.For(groups, groups, func(k int) {
		from, to := k*len(positions)/groups, (k+1)*len(positions)/groups
		errs[k] = r.opt.probe(ctx, e, positions[from:to], found[from:to])
	})
	for _, err := range errs {
		if err != nil {
			return stats, fmt.Errorf("deep searches: %w", err)
		}
	}
	stats.Positions = len(positions)
	for _, p := range found {
		if p.same {
			stats.Agreement++
		}
		stats.ValueChange += p.valueChange
	}
	stats.Agreement /= float64(stats.Positions)
	stats.ValueChange /= float64(stats.Positions)
	return stats, nil
}

// probe searches positions, each as long as in self-play and then on.
func (o *Options) probe(ctx context.Context, e model.Evaluator, positions []engine.Position, found []probe) error {
	constants := o.Search
	if model.ReadsLists(e) {
		constants.Cache = 0 // as in self-play
	}
	driver := think.NewDriver(o.NewSearch(constants), o.Game.Spec, e, min(deepLanes, len(positions)), 1)
	at, next := map[*think.Lane]int{}, 0
	short := think.Budget{Visits: o.Search.Simulations}
	start := func(l *think.Lane) {
		if next < len(positions) {
			at[l] = next
			l.Search.Reset(positions[next], rand.New(rand.NewPCG(0, 0)))
			l.Begin(mcts.PUCT{}, short)
			next++
		}
	}
	for _, l := range driver.Lanes {
		start(l)
	}
	long := map[*think.Lane]bool{} // the lane is in its long search
	return driver.Run(ctx, func(l *think.Lane, why think.Stop) error {
		p := &found[at[l]]
		if !long[l] {
			p.action, p.value = l.Search.Choose(0), l.Search.Value()
		}
		if !long[l] && why == think.Visits {
			long[l] = true
			l.Begin(mcts.PUCT{}, think.Budget{Visits: deeper * short.Visits})
			return nil
		}
		p.same = l.Search.Choose(0) == p.action
		p.valueChange = abs(float64(l.Search.Value()) - float64(p.value))
		long[l] = false
		start(l)
		return nil
	})
}
