package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"dojo/internal/parallel"
	"dojo/model"
	"dojo/model/graph"
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

	// Agreement is the share of positions in which the most probable action of the
	// network's policy is also that of the search's improved policy.
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
	want := graph.NewBatch(r.opt.Network, len(samples))
	s := newSampler(r.opt.Game, samples, rand.New(rand.NewPCG(0, 0)), 1)
	s.fillInOrder(want)
	got := model.NewListBatch(r.opt.Game.Spec, len(samples))
	got.N, got.Planes, got.Lists = len(samples), want.Planes, want.Lists
	if err := net.Evaluate(ctx, got); err != nil {
		return sum, err
	}
	policy := want.Targets[slices.IndexFunc(want.Targets, func(t graph.Target) bool { return t.Target == model.TargetPolicy })].Rows
	for i := range samples {
		from, to := i*r.opt.Game.Actions, (i+1)*r.opt.Game.Actions
		if r.window.lists {
			from, to = want.Lists.LegalRange(i, i+1)
		}
		logits, target := got.Logits[from:to], policy[from:to]
		sum.PolicyLoss += graph.CrossEntropy(logits, target)
		if argmaxLegal(logits, target) == argmaxLegal(target, target) {
			sum.Agreement++
		}
		v, z := float64(got.Values[i]), float64(samples[i].value)
		sum.ValueLoss += graph.WinLoss(v, z)
		sum.ValueError += abs(v - z)
	}
	return sum, nil
}

// argmaxLegal returns the index of the largest of the numbers x of legal actions, the first
// one if several are equal. The target of an illegal action is negative.
func argmaxLegal(x, target []float32) (top int) {
	top = -1
	for a := range x {
		if target[a] >= 0 && (top < 0 || x[a] > x[top]) {
			top = a
		}
	}
	return top
}

func abs(x float64) float64 { return max(x, -x) }
