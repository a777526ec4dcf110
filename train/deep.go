package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"dojo.example/engine"
	"dojo.example/internal/memory"
	"dojo.example/internal/parallel"
	"dojo.example/model"
	"dojo.example/search/think"
)

// DeepStats compares the search of self-play with a search that has 16 times as many simulations.
// If the long search often chooses another action, the short search limits the quality of the
// training targets. Both searches use the model that played the games, the rule PUCT at the root,
// and no noise. The figures are means over a sample of the new positions: one in 1,024, evenly
// spread, but at least 1 and at most 256 positions. Computing them takes about 1.6 % of the
// simulations of self-play. All figures are 0 if the games were played without a model.
type DeepStats struct {
	Positions int `json:"positions"`
	// Share of the positions in which both searches choose the same action.
	Agreement float64 `json:"agreement" event:"search/deep_agreement"`
	// Mean of |value of the long search − value of the short search|.
	ValueChange float64 `json:"value_change" event:"search/deep_value_change"`
}

const (
	deepFactor        = 16   // the long search has this many times the simulations
	positionsPerProbe = 1024 // one of this many positions is searched
	maxProbes         = 256  // largest number of positions that are searched
)

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
	found, errs := make([]DeepStats, len(positions)), make([]error, len(positions))
	thinkers := sync.Pool{New: func() any { return think.New(r.opt.Game, think.Options{Evaluator: e, Search: r.opt.Search}) }}
	parallel.For(len(positions), r.opt.Workers, func(i int) {
		t := thinkers.Get().(*think.Thinker)
		defer thinkers.Put(t)
		found[i], errs[i] = searchDeeper(ctx, t, positions[i], r.opt.Search.Simulations)
	})
	if err := cmp.Or(errs...); err != nil {
		return stats, fmt.Errorf("deep searches: %w", err)
	}
	n := float64(len(positions))
	for _, p := range found {
		stats.Agreement += p.Agreement
		stats.ValueChange += p.ValueChange
	}
	stats.Positions, stats.Agreement, stats.ValueChange = len(positions), stats.Agreement/n, stats.ValueChange/n
	return stats, nil
}

// deepBytes returns the largest amount of memory, in bytes, that the two searches of a position
// need.
func (o *Options) deepBytes() int64 {
	short := o.Search.Simulations
	return memory.Sum(o.Game.Bytes(o.Search, short, false), o.Game.Bytes(o.Search, deepFactor*short, false))
}

// searchDeeper searches a position with the number of simulations of self-play, and then continues
// the search up to the number of the long search. It compares the results.
func searchDeeper(ctx context.Context, t *think.Thinker, p engine.Position, short int) (stats DeepStats, err error) {
	t.NewGame(0)
	if _, err := t.Think(ctx, p, think.Budget{Visits: short}); err != nil {
		return stats, err
	}
	action, value := t.Search.Root().Choose(0), t.Search.Root().Value()
	if _, err := t.Think(ctx, p, think.Budget{Visits: deepFactor * short}); err != nil {
		return stats, err
	}
	if t.Search.Root().Choose(0) == action {
		stats.Agreement = 1
	}
	stats.ValueChange = math.Abs(float64(t.Search.Root().Value()) - float64(value))
	return stats, nil
}
