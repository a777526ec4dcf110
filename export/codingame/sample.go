package codingame

import (
	"context"
	"math"
	"math/rand/v2"

	"dojo/engine"
	"dojo/engine/onitama"
	"dojo/internal/detmath"
	"dojo/model"
)

// Sample returns n positions of games in which both players draw their actions from
// the policy of a network. The same seed gives the same positions.
func Sample(c *model.Checkpoint, n int, seed uint64) ([]onitama.SparseState, error) {
	net, rng := model.NewNet(c), rand.New(rand.NewPCG(seed, 0))
	b := model.NewBatch(onitama.Sparse.Spec, 1)
	b.N = 1
	var list []onitama.SparseState
	var legal []engine.Action
	for {
		s := onitama.Sparse.Start(rng)
		for s.Outcome() == engine.Ongoing {
			if len(list) == n {
				return list, nil
			}
			list = append(list, s)
			s.Encode(b.Planes)
			if err := net.Evaluate(context.Background(), b); err != nil {
				return nil, err
			}
			legal = s.Legal(legal[:0])
			s = s.Play(draw(legal, b.Logits, rng))
		}
	}
}

// draw draws a legal action from the softmax of the logits: it adds a random number
// from the Gumbel distribution to each and takes the largest (the Gumbel-max trick).
func draw(legal []engine.Action, logits []float32, rng *rand.Rand) engine.Action {
	best, top := legal[0], math.Inf(-1)
	for _, a := range legal {
		if x := float64(logits[a]) - detmath.Log(detmath.Exponential(rng)); x > top {
			best, top = a, x
		}
	}
	return best
}

// planes returns the planes of the positions, row-major.
func planes(positions []onitama.SparseState) []float32 {
	size := onitama.Sparse.Planes.C
	all := make([]float32, len(positions)*size)
	for i, p := range positions {
		p.Encode(all[i*size : (i+1)*size])
	}
	return all
}
