package train

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dojo.example/engine"
	"dojo.example/internal/parallel"
	"dojo.example/mcts"
	"dojo.example/model"
	"dojo.example/think"
)

// DeepStats compares the search of self-play with one of 16 times as many simulations. If
// the long search often chooses another action, short searches are what limits the quality of
// the training targets. Both searches use the model that played, PUCT at the root and no
// noise. The figures are means over one in 1,024 of the new positions, evenly spread (at least
// 1 and at most 256), so that they cost 1.6 % of the simulations of self-play. They are 0 if
// the games were played without a model.
type DeepStats struct {
	Positions   int     `json:"positions"`
	Agreement   float64 `json:"agreement"`    // share of positions in which both searches choose the same action
	ValueChange float64 `json:"value_change"` // mean |value of the long search − value of the short one|
}

const (
	deepFactor        = 16   // simulations of the long search, divided by those of the short one
	positionsPerProbe = 1024 // number of positions of which one is searched
	maxProbes         = 256  // the largest number of positions that are searched
	deepLanes         = 8    // searches that a worker runs side by side
)

// probeIndices returns the indices of the positions to search in a generation with the given
// number of positions.
func probeIndices(positions int) []int {
	n := min(max(1, positions/positionsPerProbe), maxProbes)
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i * positions / n
	}
	return numbers
}

// A probe has the results of the short and the long search of a position.
type probe struct {
	action      engine.Action // the choice of the short search
	value       float32       // the value of the short search, from First's side
	same        bool          // the long search chose the same action
	valueChange float64       // |value of the long search − value of the short one|
}

// measureDeepSearch computes the DeepStats of a generation.
func (r *Run) measureDeepSearch(ctx context.Context, m *Metrics) (stats DeepStats, err error) {
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
		errs[k] = r.opt.searchProbes(ctx, e, positions[from:to], found[from:to])
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

// searchProbes searches each of the positions as long as in self-play, and then goes on with
// the long search; found[i] gets the results of positions[i].
func (o *Options) searchProbes(ctx context.Context, e model.Evaluator, positions []engine.Position, found []probe) error {
	driver := think.NewDriver(o.Game, o.Search, e, min(deepLanes, len(positions)))
	at, next := map[*think.Lane]int{}, 0
	short := think.Budget{Visits: o.Search.Simulations}
	start := func(l *think.Lane) {
		if next < len(positions) {
			at[l] = next
			l.Search.Reset(positions[next], rand.New(rand.NewPCG(0, 0)))
			l.Begin(mcts.Noise{}, short)
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
			l.Begin(mcts.Noise{}, think.Budget{Visits: deepFactor * short.Visits})
			return nil
		}
		p.same = l.Search.Choose(0) == p.action
		p.valueChange = abs(float64(l.Search.Value()) - float64(p.value))
		long[l] = false
		start(l)
		return nil
	})
}
