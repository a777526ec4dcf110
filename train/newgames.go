package train

import (
	"context"
	"fmt"

	"dojo/engine"
	"dojo/internal/detmath"
	"dojo/internal/parallel"
	"dojo/model"
)

// NewStats says how well the last generation's candidate foresaw the games of this
// one, none of which it had been trained on: the losses that training cannot make
// small by heart. They are means over up to 1,024 positions, evenly spread over the
// new games, without symmetries, in the units of [FitStats]. The first generation has
// no candidate before it, and leaves them at 0 unless the run began with a model.
type NewStats struct {
	Positions  int     `json:"positions"`
	PolicyLoss float64 `json:"policy_loss"` // cross entropy, nats
	ValueLoss  float64 `json:"value_loss"`  // cross entropy, nats
	ValueError float64 `json:"value_error"` // |value of the network − target|

	// Agreement is the share of positions in which the action that the network
	// thinks likeliest is the one that the search came to prefer.
	Agreement float64 `json:"agreement"`
}

// add adds the sums of other to those of s.
func (s *NewStats) add(other NewStats) {
	s.Positions += other.Positions
	s.PolicyLoss += other.PolicyLoss
	s.ValueLoss += other.ValueLoss
	s.ValueError += other.ValueError
	s.Agreement += other.Agreement
}

// foresight measures the model that generation g is trained from on the games of g.
func (r *Run) foresight(ctx context.Context, g int) (NewStats, error) {
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
		parts[k], errs[k] = r.judge(ctx, net, some)
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

// judge compares the network's answers with what it should learn from the samples, and
// returns sums, not means.
func (r *Run) judge(ctx context.Context, net model.Evaluator, samples []sample) (NewStats, error) {
	sum := NewStats{Positions: len(samples)}
	if len(samples) == 0 {
		return sum, nil
	}
	spec := r.opt.Game.Spec
	var b *model.Batch
	if r.window.lists {
		b = model.NewListBatch(spec, len(samples))
		for i := range samples {
			samples[i].list(&b.Lists, nil)
		}
	} else {
		b = model.NewBatch(spec, len(samples))
		for i := range samples {
			samples[i].position.Encode(b.Planes[i*spec.Planes.Size() : (i+1)*spec.Planes.Size()])
		}
	}
	b.N = len(samples)
	if err := net.Evaluate(ctx, b); err != nil {
		return sum, err
	}
	for i := range samples {
		logits, target := r.answer(b, i, &samples[i])
		loss, agree := crossEntropy(logits, target)
		sum.PolicyLoss += loss
		if agree {
			sum.Agreement++
		}
		v, z := float64(b.Values[i]), float64(samples[i].value)
		sum.ValueLoss += winLoss(v, z)
		sum.ValueError += abs(v - z)
	}
	return sum, nil
}

// answer returns the logits that the batch has for row i, and the targets of sample x,
// both of its legal actions alone.
func (r *Run) answer(b *model.Batch, i int, x *sample) (logits, target []float32) {
	if x.listed != nil {
		from, to := b.Lists.LegalRange(i, i+1)
		first, end := x.listed.LegalRange(x.row, x.row+1)
		return b.Logits[from:to], x.listed.policy[first:end]
	}
	weights := map[engine.Action]float32{}
	for _, w := range x.policy {
		weights[engine.Action(w.Action)] = w.Weight
	}
	all := b.Logits[i*r.opt.Game.Actions : (i+1)*r.opt.Game.Actions]
	for _, a := range x.position.Legal(nil) {
		logits, target = append(logits, all[a]), append(target, weights[a])
	}
	return logits, target
}

// crossEntropy returns the cross entropy, in nats, of the softmax of logits against a
// target distribution, and whether both have their largest number, the first of them
// if several are largest, in the same place.
func crossEntropy(logits, target []float32) (loss float64, agree bool) {
	top, best := 0, 0
	for i := range logits {
		if logits[i] > logits[top] {
			top = i
		}
		if target[i] > target[best] {
			best = i
		}
	}
	var sum float64
	for _, x := range logits {
		sum += detmath.Exp(float64(x) - float64(logits[top]))
	}
	logSum := detmath.Log(sum)
	for i, t := range target {
		logP := float64(logits[i]) - float64(logits[top]) - logSum
		loss -= float64(float64(t) * logP)
	}
	return loss, top == best
}

// winLoss returns the cross entropy, in nats, of the win probability (1+v)/2 against
// (1+z)/2. A value of ±1, which a network reaches by rounding only, counts as one part
// in a million less.
func winLoss(v, z float64) float64 {
	const least = 1e-6
	p := min(max((1+v)/2, least), 1-least)
	q := float64((1 + z) / 2)
	return -(float64(q*detmath.Log(p)) + float64((1-q)*detmath.Log(1-p)))
}

func abs(x float64) float64 { return max(x, -x) }
