package codingame

import (
	"context"
	"math"
	"math/rand/v2"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/internal/detmath"
	"dojo.example/model"
)

// samplePositions returns n positions of games in which both players draw their actions from
// the policy of a network. The same seed gives the same positions.
func samplePositions(c *model.Checkpoint, n int, seed uint64) ([]onitama.State, error) {
	net, rng := model.NewNet(c), rand.New(rand.NewPCG(seed, 0))
	b := model.NewBatch(onitama.Classic.Spec, net)
	var list []onitama.State
	for {
		s := onitama.Classic.Start(rng)
		for s.Outcome() == engine.Ongoing {
			if len(list) == n {
				return list, nil
			}
			list = append(list, s)
			if err := b.Ask(context.Background(), net, engine.Forget(s)); err != nil {
				return nil, err
			}
			s = s.Play(draw(b.Input.Legal, b.Logits, rng))
		}
	}
}

// draw draws an action from the softmax of the legal actions' logits: it adds a random
// number from the Gumbel distribution to each and takes the largest (the Gumbel-max
// trick).
func draw(legal []engine.Action, logits []float32, rng *rand.Rand) engine.Action {
	best, top := legal[0], math.Inf(-1)
	for i, a := range legal {
		if x := float64(logits[i]) - detmath.Log(detmath.Exponential(rng)); x > top {
			best, top = a, x
		}
	}
	return best
}

// evaluations are a network's outputs for some positions.
func evaluations(ctx context.Context, e model.Evaluator, positions []onitama.State) (*model.Batch, error) {
	b := model.NewBatch(onitama.Classic.Spec, e)
	all := make([]engine.Position, len(positions))
	for i, s := range positions {
		all[i] = engine.Forget(s)
	}
	return b, b.Ask(ctx, e, all...)
}
