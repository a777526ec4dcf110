package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dojo/engine"
	"dojo/games"
	"dojo/mcts"
	"dojo/model"
	"dojo/think"
)

// deviation is how far a model in 8 bits is from itself in floats, over the
// positions of some games.
type deviation struct {
	Positions  int    `json:"positions"`
	Divergence spread `json:"divergence"` // of the policy over legal actions, KL(float32 ‖ int8), nats
	Value      spread `json:"value"`      // |float32 − int8|
	SameBest   int    `json:"same_best"`  // positions whose likeliest action is the same
}

// spread is the distribution of a quantity.
type spread struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

func newSpread(values []float64) spread {
	slices.Sort(values)
	var sum float64
	for _, v := range values {
		sum += v
	}
	n := len(values)
	return spread{sum / float64(n), values[n/2], values[n*99/100], values[n-1]}
}

// precision compares a model's two precisions on at least so many positions,
// from games that it plays with small searches.
func (e *evaluation) precision(ctx context.Context, c *model.Checkpoint, positions int) error {
	quant, err := model.NewQuant(c)
	if err != nil {
		return err
	}
	float, rng := model.NewNet(c), rand.New(rand.NewPCG(e.opt.seed, 0))
	a, b := model.NewBatch(e.game.Spec, 1), model.NewBatch(e.game.Spec, 1)
	a.N, b.N = 1, 1
	lists := model.ReadsLists(float)
	var d deviation
	var divergences, values []float64
	for len(values) < positions {
		err := eachPosition(ctx, e.game, float, rng, func(p engine.Position) error {
			legal := p.Legal(nil)
			if lists {
				a.Lists.Reset()
				a.Lists.Append(p)
				b.Lists = a.Lists
				for i := range legal { // as the logits are numbered
					legal[i] = engine.Action(i)
				}
			}
			p.Encode(a.Planes)
			copy(b.Planes, a.Planes)
			if err := errors.Join(float.Evaluate(ctx, a), quant.Evaluate(ctx, b)); err != nil {
				return err
			}
			kl, same := compare(legal, a.Logits, b.Logits)
			divergences = append(divergences, kl)
			values = append(values, math.Abs(float64(a.Values[0]-b.Values[0])))
			if same {
				d.SameBest++
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	d.Positions, d.Divergence, d.Value = len(values), newSpread(divergences), newSpread(values)
	if e.json {
		return e.app.printJSON(d)
	}
	table := newGrid("8 bits against floats", "mean", "median", "99 %", "largest")
	for _, row := range []struct {
		name string
		spread
	}{{"policy, KL in nats", d.Divergence}, {"value, difference", d.Value}} {
		number := func(x float64) string { return fmt.Sprintf("%.2g", x) }
		table.row(row.name, number(row.Mean), number(row.Median), number(row.P99), number(row.Max))
	}
	e.app.print(table)
	fmt.Fprintf(e.app.stdout, "the likeliest action is the same in %d of %d positions\n", d.SameBest, d.Positions)
	return nil
}

// eachPosition plays a game and calls f for its positions.
func eachPosition(ctx context.Context, game games.Entry, n model.Evaluator, rng *rand.Rand, f func(engine.Position) error) error {
	cfg := mcts.Default()
	driver := think.NewDriver(game.NewSearch(cfg), game.Spec, n, 1)
	lane, noise := driver.Lanes[0], cfg.Noise()
	next := func() error {
		lane.Begin(noise, think.Budget{Visits: 16})
		return f(lane.Search.Position())
	}
	lane.Search.Reset(game.Start(rng), rng)
	if err := next(); err != nil {
		return err
	}
	return driver.Run(ctx, func(l *think.Lane, _ think.Stop) error {
		l.Search.Play(l.Search.Choose(1))
		if l.Search.Position().Outcome() != engine.Ongoing {
			return nil
		}
		return next()
	})
}

// compare is the divergence of the softmax of two rows of logits over the
// legal actions, by which the logits are numbered, and whether both have the same favourite.
func compare(legal []engine.Action, p, q []float32) (kl float64, same bool) {
	softmax := func(logits []float32) (all []float64, favourite int) {
		top := math.Inf(-1)
		for i, a := range legal {
			if x := float64(logits[a]); x > top {
				top, favourite = x, i
			}
		}
		var sum float64
		for _, a := range legal {
			all = append(all, math.Exp(float64(logits[a])-top))
			sum += all[len(all)-1]
		}
		for i := range all {
			all[i] /= sum
		}
		return all, favourite
	}
	x, favourite := softmax(p)
	y, other := softmax(q)
	for i := range x {
		if x[i] > 0 {
			kl += x[i] * math.Log(x[i]/y[i])
		}
	}
	return kl, favourite == other
}
