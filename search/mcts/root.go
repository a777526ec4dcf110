package mcts

import (
	"math"
	"math/rand/v2"
	"slices"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
)

// A RootRule controls what a search does only at its root: the noise in the root's priors, and the
// choice of the move when the search is over.
type RootRule struct {
	Noise Noise
	Final Final
}

// Noise is Dirichlet noise that a search mixes into the priors of its root, so that self-play also
// tries actions to which the network gives a low prior. The zero Noise means no noise, for matches
// and analysis. If there is noise, FPUReduction does not apply to unvisited actions of the root.
type Noise struct {
	// Alpha is the concentration of the noise in a position with 10 legal actions. In a position
	// with n legal actions the concentration is Alpha·10/n. AlphaZero uses 0.3 in chess and 0.03 in
	// Go.
	Alpha float32 `yaml:"noise_alpha"`

	// Weight is the fraction of the root's priors that is noise. AlphaZero uses 0.25.
	Weight float32 `yaml:"noise_weight"`
}

// prepare mixes the noise into the priors of the root n. Until then they are the network's priors.
// The search calls prepare once for each root, as soon as the root has its legal actions.
func (r RootRule) prepare(c *core, n *node) {
	if r.Noise.Weight == 0 {
		return
	}
	alpha := float64(r.Noise.Alpha) * 10 / float64(n.count)
	c.powers = c.powers[:0]
	var sum float64
	for range n.count {
		g := gamma(c.rng, alpha)
		c.powers = append(c.powers, g)
		sum += g
	}
	c.weights = append(c.weights[:0], c.network...)
	for i, prior := range c.network {
		noise := 1 / float32(n.count)
		if sum > 0 { // with a tiny alpha, all the random numbers may be zero
			noise = float32(c.powers[i] / sum)
		}
		c.weights[i] += float32(r.Noise.Weight * (noise - prior))
	}
	c.setPriors(n, c.weights)
}

// next returns the edge that a simulation takes from the root n, as an index into c.edges.
func (r RootRule) next(c *core, n *node) int32 {
	if r.Noise.Weight > 0 {
		return c.best(n, 0) // a noisy root uses no FPUReduction, as in KataGo
	}
	return c.best(n, c.cfg.FPUReduction)
}

// choose returns the best legal action of the root n, as an index into its legal actions.
func (r RootRule) choose(c *core, n *node) int32 {
	weights := c.improved(n)
	best := top(c.options, n.sign, weights)
	if r.Final == LCB && n.proven == engine.Ongoing {
		best = c.bounded(n, best)
	}
	return int32(best)
}

// gamma draws from the gamma distribution with shape alpha and scale 1. It uses the method of
// Marsaglia and Tsang 2000, with their boost for alpha below 1.
func gamma(rng *rand.Rand, alpha float64) float64 {
	boost := 1.0
	if alpha < 1 {
		boost = detmath.Pow(rng.Float64(), 1/alpha)
		alpha++
	}
	d := alpha - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := detmath.Normal(rng)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := rng.Float64()
		// A fast test that nearly always passes. If it passes, the exact test below would pass as
		// well.
		if u < 1-float64(0.0331*(x*x)*(x*x)) {
			return boost * d * v
		}
		if detmath.Log(u) < float64(x*x/2)+d-float64(d*v)+float64(d*detmath.Log(v)) {
			return boost * d * v
		}
	}
}

// improved returns the improved policy of the root n: one weight for each legal action, in the
// order of the actions. The weights sum to 1. The next call overwrites the result.
//
// An action gets a weight above 0 only if the method counts accepts its edge. The weights of these
// actions are proportional to their visits, or equal if the root is proven won. If none of these
// actions has a visit, the weights are proportional to the priors.
func (c *core) improved(n *node) []float32 {
	c.weights = slices.Grow(c.weights[:0], int(n.count))[:n.count]
	weights := c.weights
	root, won := c.optionsOf(n), engine.WonBy(mover(n.sign))
	weigh := func(weight func(e *option) float32) (sum float32) {
		for i := range root {
			weights[i] = 0
			if n.counts(&root[i].edge) {
				weights[i] = weight(&root[i])
			}
			sum += weights[i]
		}
		return sum
	}
	sum := weigh(func(e *option) float32 {
		if n.proven == won {
			return 1
		}
		return float32(e.visits)
	})
	if sum == 0 {
		sum = weigh(func(e *option) float32 { return e.prior })
	}
	if sum == 0 { // the priors are too small for a float32, so their sum is 0
		sum = weigh(func(*option) float32 { return 1 })
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// draw picks a legal action of the root n at random and returns its index among the legal actions;
// see Root.Choose.
func (c *core) draw(n *node, temperature float32) int32 {
	weights := c.improved(n)
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
			return int32(i)
		}
	}
	return int32(top(c.options, n.sign, weights)) // reached only if sum was rounded up
}

// bounded returns the index of the root's option whose value has the largest lower confidence
// bound, as in KataGo. The bound is the mean value minus 1.5 standard errors.
//
// The parameter most is the index of the most visited option. bounded leaves out options with less
// than a tenth of its visits. The values of an option with few visits may be equal by chance. So
// before bounded computes their variance, it adds two values that differ from the mean by √½.
func (c *core) bounded(n *node, most int) int {
	const errors, share = 1.5, 10
	bound := func(e *option) float32 {
		c := &c.nodes[e.child]
		visits := float64(c.visits)
		return float32(n.sign*e.mean) - float32(errors*math.Sqrt((float64(c.squares)+1)/(visits+2)/visits))
	}
	best := most
	for i := range c.options {
		e := &c.options[i]
		if n.counts(&e.edge) && e.visits > 0 && share*e.visits >= c.options[most].visits && bound(e) > bound(&c.options[best]) {
			best = i
		}
	}
	return best
}

// counts reports whether an edge of the root n may get a weight in the improved policy and may be
// chosen as the move. If the root is proven won, only winning edges may. If the root is proven
// lost, all edges may. Otherwise all edges may, except those that are proven lost.
func (n *node) counts(e *edge) bool {
	won, lost := engine.WonBy(mover(n.sign)), engine.WonBy(1-mover(n.sign))
	if n.proven == won {
		return e.proven == won
	}
	return e.proven != lost || n.proven == lost
}

// top returns the index of the option with the largest weight. Among equal weights it takes the
// option with the better mean value for the player with the given sign, then the one with the
// larger prior, then the lower action.
func top(options []option, sign float32, weights []float32) int {
	mean := func(e *option) float32 { return sign * e.mean }
	best := 0
	for i := 1; i < len(options); i++ {
		e, b := &options[i], &options[best]
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
