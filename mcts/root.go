package mcts

import (
	"slices"

	"dojo/engine"
	"dojo/internal/detmath"
)

// A Root is the rule at the root of a search: it chooses the first action of each simulation,
// computes the improved policy, and chooses the action to play. It is a comparable value
// without state, which many searches may share. Its methods may use
//
//   - n, the root, and its edges, c.edgesOf(n). The rule may change the edges' priors,
//     for example to add noise, and finds them as it left them at the next call;
//   - c.network, the network's own priors in the order of the edges. Their logarithms
//     are the network's logits up to a constant;
//   - n.visits, the root's visits so far, and c.visits, those at which the search
//     ends;
//   - c.rng, the random source.
type Root interface {
	// enter is called once for each position that becomes the root, as soon as it
	// has edges.
	enter(c *core, n *stats)

	// next returns the edge, an index into c.edges, that a simulation starts with.
	next(c *core, n *stats) int32

	// policy writes the improved policy of the root's edges to weights, in the
	// order of the edges; they sum to 1.
	policy(c *core, n *stats, weights []float32)

	// choose returns one of the root's edges, an index into c.edgesOf(n); see
	// Search.Choose. It and policy are called after enter.
	choose(c *core, n *stats, temperature float32) int
}

// PUCT is the rule of AlphaZero: Dirichlet noise in the priors of the root, the same
// selection as at all other nodes, and the visits as the improved policy.
// Where there is noise, unvisited actions of the root get no FPUReduction. The zero
// PUCT, without noise, is for matches and analysis.
type PUCT struct {
	NoiseAlpha  float32 // see Config
	NoiseWeight float32
}

// enter mixes the noise into the priors.
func (p PUCT) enter(c *core, n *stats) {
	if p.NoiseWeight == 0 {
		return
	}
	root := c.edgesOf(n)
	alpha := float64(p.NoiseAlpha) * 10 / float64(len(root))
	c.powers = c.powers[:0]
	var sum float64
	for range root {
		g := gamma(c.rng, alpha)
		c.powers = append(c.powers, g)
		sum += g
	}
	for i := range root {
		noise := 1 / float32(len(root))
		if sum > 0 { // tiny alphas can draw nothing but zeros
			noise = float32(c.powers[i] / sum)
		}
		root[i].prior += float32(p.NoiseWeight * (noise - root[i].prior))
	}
}

// next leaves out the FPUReduction if there is noise, as KataGo does.
func (p PUCT) next(c *core, n *stats) int32 {
	if p.NoiseWeight == 0 {
		return c.best(n, c.cfg.FPUReduction)
	}
	return c.best(n, 0)
}

// policy is proportional to the visits of the edges that count; if the root is proven
// won, it gives these the same weight each. If no edge that counts has a visit, the
// policy is proportional to their priors.
func (p PUCT) policy(c *core, n *stats, weights []float32) {
	root, won := c.edgesOf(n), engine.WonBy(mover(n.sign))
	weigh := func(weight func(e *edge) float32) (sum float32) {
		for i := range root {
			weights[i] = 0
			if n.counts(&root[i]) {
				weights[i] = weight(&root[i])
			}
			sum += weights[i]
		}
		return sum
	}
	sum := weigh(func(e *edge) float32 {
		if n.proven == won {
			return 1
		}
		return float32(e.visits)
	})
	if sum == 0 {
		sum = weigh(func(e *edge) float32 { return e.prior })
	}
	if sum == 0 { // priors too small for a float32
		sum = weigh(func(*edge) float32 { return 1 })
	}
	for i := range weights {
		weights[i] /= sum
	}
}

func (p PUCT) choose(c *core, n *stats, temperature float32) int {
	weights := c.improved(n)
	best := top(c.edgesOf(n), n.sign, weights)
	if temperature == 0 {
		return best
	}
	c.powers = c.powers[:0]
	var sum float64
	for _, w := range weights {
		x := detmath.Pow(float64(w), 1/float64(temperature))
		c.powers = append(c.powers, x)
		sum += x
	}
	pick := c.rng.Float64() * sum
	for i, w := range c.powers {
		if pick -= w; pick < 0 && w > 0 {
			return i
		}
	}
	return best
}

// counts reports whether an edge of the root is considered in the policy and the choice: if
// the root is proven won, the winning edges are; if it is proven lost, all edges are;
// otherwise all that are not proven lost.
func (n *stats) counts(e *edge) bool {
	won, lost := engine.WonBy(mover(n.sign)), engine.WonBy(1-mover(n.sign))
	if n.proven == won {
		return e.proven == won
	}
	return e.proven != lost || n.proven == lost
}

// improved returns the improved policy of the root's edges, in scratch memory.
func (c *core) improved(n *stats) []float32 {
	c.weights = slices.Grow(c.weights[:0], int(n.count))[:n.count]
	clear(c.weights)
	c.root.policy(c, n, c.weights)
	return c.weights
}

// top returns the index of the edge with the largest weight. Among equals it is the
// one with the best mean value for the player with that sign, then the largest prior,
// then the lowest action.
func top(edges []edge, sign float32, weights []float32) int {
	mean := func(e *edge) float32 { return sign * e.total / float32(max(1, e.visits)) }
	best := 0
	for i := 1; i < len(edges); i++ {
		e, b := &edges[i], &edges[best]
		switch {
		case weights[i] > weights[best]:
		case weights[i] < weights[best] || mean(e) < mean(b):
			continue
		case mean(e) == mean(b) && e.prior <= b.prior:
			continue
		}
		best = i
	}
	return best
}
