package train

import (
	"context"
	"fmt"

	"dojo.example/internal/parallel"
	"dojo.example/model"
	"dojo.example/model/graph"
)

// NewStats says how well the last generation's candidate predicts the games of this one.
// As it was not trained on them, these are validation losses, which overfitting does not
// make smaller. They are means over up to 1,024 positions, evenly spread over the new games,
// without symmetries, in the units of [FitStats]. They are 0 in the first generation, unless
// the run began with a model.
type NewStats struct {
	Positions  int     `json:"positions"`
	PolicyLoss float64 `json:"policy_loss"` // cross entropy, nats
	ValueLoss  float64 `json:"value_loss"`  // cross entropy, nats
	ValueError float64 `json:"value_error"` // |value of the network − target|

	// Agreement is the share of positions in which the network's policy and the search's
	// improved policy have the same most probable action.
	Agreement float64 `json:"agreement"`
}

// add adds other to s, where both are sums over positions.
func (s *NewStats) add(other NewStats) {
	s.Positions += other.Positions
	s.PolicyLoss += other.PolicyLoss
	s.ValueLoss += other.ValueLoss
	s.ValueError += other.ValueError
	s.Agreement += other.Agreement
}

// measureNewGames measures the model from which the training of generation g starts on the
// games of g.
func (r *Run) measureNewGames(ctx context.Context, g int) (NewStats, error) {
	var total NewStats
	name := r.meta(g).Parent
	if name == "" {
		return total, nil
	}
	c, err := r.opt.load(name)
	if err != nil {
		return total, err
	}
	const limit = 1024
	net, samples := model.NewNet(c), r.window.generations[g].samples
	n := min(limit, len(samples))
	var parts [chunks]NewStats
	var errs [chunks]error
	parallel.For(chunks, r.opt.Workers, func(k int) {
		var some []sample
		for i := n * k / chunks; i < n*(k+1)/chunks; i++ {
			some = append(some, samples[i*len(samples)/n])
		}
		parts[k], errs[k] = r.compareOutputs(ctx, net, some)
	})
	for k := range parts {
		if errs[k] != nil {
			return total, fmt.Errorf("new games: %w", errs[k])
		}
		total.add(parts[k])
	}
	for _, sum := range []*float64{&total.PolicyLoss, &total.ValueLoss, &total.ValueError, &total.Agreement} {
		*sum /= float64(n)
	}
	return total, nil
}

// compareOutputs compares the network's outputs with the targets of the samples. The result
// has sums over the samples, not means.
func (r *Run) compareOutputs(ctx context.Context, net model.Evaluator, samples []sample) (NewStats, error) {
	sum := NewStats{Positions: len(samples)}
	if len(samples) == 0 {
		return sum, nil
	}
	b := model.NewBatch(r.opt.Game.Spec, net)
	for _, x := range samples {
		x.appendTo(&b.Input, nil)
	}
	b.Fit()
	if err := net.Evaluate(ctx, b); err != nil {
		return sum, err
	}
	for i, x := range samples {
		from, to := b.Input.LegalRange(i, i+1)
		logits, target := b.Logits[from:to], x.rows.policyOf(x.row)
		sum.PolicyLoss += graph.CrossEntropy(logits, target)
		if argmax(logits) == argmax(target) {
			sum.Agreement++
		}
		v, z := float64(b.Values[i]), float64(x.value)
		sum.ValueLoss += graph.WinLoss(v, z)
		sum.ValueError += abs(v - z)
	}
	return sum, nil
}

// argmax returns the index of the largest number, the first one if several are equal.
func argmax(x []float32) (top int) {
	for i := range x {
		if x[i] > x[top] {
			top = i
		}
	}
	return top
}

func abs(x float64) float64 { return max(x, -x) }
