package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dojo.example/model"
	"dojo.example/model/loss"
)

// NewStats measures how well the candidate of the previous generation predicts the games of this
// generation. The candidate was not trained on these games. So these losses are validation losses,
// and overfitting does not make them smaller. They are means over up to 1,024 positions that are
// evenly spread over the new games. The positions are not transformed by symmetries. The units are
// the same as in [FitStats]. All fields are 0 in the first generation, unless the run started from
// a model.
type NewStats struct {
	Positions  int     `json:"positions"`
	PolicyLoss float64 `json:"policy_loss" event:"new_games/policy_loss"` // cross entropy, in nats
	ValueLoss  float64 `json:"value_loss" event:"new_games/value_loss"`   // cross entropy, in nats
	// Mean of |value of the network − target|.
	ValueError float64 `json:"value_error" event:"new_games/value_error"`

	// Agreement is the share of positions in which the network's policy and the search's improved
	// policy agree on the most probable action.
	Agreement float64 `json:"agreement" event:"new_games/agreement"`
}

// measureNewGames computes the NewStats of generation g. It evaluates positions of the generation's
// games with the model from which the training of generation g starts, and compares the outputs
// with the training targets.
func (r *Run) measureNewGames(ctx context.Context, g int) (stats NewStats, err error) {
	name := r.meta(g, "").Parent
	if name == "" {
		return stats, nil
	}
	c, err := r.opt.load(name)
	if err != nil {
		return stats, err
	}
	samples := spread(r.window.generations[g].samples, 1024)
	b := model.NewBatch(model.NewNet(c))
	for _, x := range samples {
		x.appendTo(&b.Input, nil)
	}
	if err := b.Evaluate(ctx); err != nil {
		return stats, fmt.Errorf("new games: %w", err)
	}
	for i, x := range samples {
		from, to := b.Input.LegalRange(i, i+1)
		logits, target := b.Logits[from:to], x.rows.policyOf(x.row)
		stats.PolicyLoss += loss.CrossEntropy(logits, target)
		if slices.Index(logits, slices.Max(logits)) == slices.Index(target, slices.Max(target)) {
			stats.Agreement++
		}
		v, z := float64(b.Values[i]), float64(x.value)
		stats.ValueLoss += loss.Win(v, z)
		stats.ValueError += math.Abs(v - z)
	}
	stats.Positions = len(samples)
	for _, sum := range []*float64{&stats.PolicyLoss, &stats.ValueLoss, &stats.ValueError, &stats.Agreement} {
		*sum /= float64(stats.Positions)
	}
	return stats, nil
}

// spread returns at most n elements of a list. They are evenly spread over the list.
func spread[T any](all []T, n int) (some []T) {
	n = min(n, len(all))
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
}
