package mcts

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"dojo/engine"
	"dojo/internal/detmath"
)

// Gumbel is the rule at the root of Danihelka et al. 2022, "Policy improvement by
// planning with Gumbel", for self-play with few simulations. It draws a number g from
// the Gumbel distribution for each action and works with the score
//
//	g + logit + σ(q)    σ(q) = (50 + the largest number of visits) · Scale · (1+q)/2
//
// where q, in [-1, 1], is the action's value for the player to move, so that (1+q)/2 is
// a probability to win.
//
//   - The actions with the largest g + logit, at most Actions of them, are a draw from
//     the network's policy without replacement. Sequential halving divides the visits
//     among these: all get equally many, then the better half by score as many in all
//     again, and so on down to two.
//   - The choice is the action with the largest score among those with most visits. It
//     is itself a draw: with exact values, its expected value is no less than that of
//     an action drawn from the network's policy. A temperature T takes T·g in place of
//     g: 1 is the paper's choice, 0 leaves out luck.
//   - The improved policy is the softmax of logit + σ(q) over all actions. One without
//     visits has the mixed value in place of q (see mixed).
//
// Proofs come first. An action that is proven lost is not visited again, and has no
// weight unless all are lost; the place of such an action is taken by one with fewer
// visits. Where the root is proven won only winning actions count.
//
// Visits that were kept from an earlier move count in q and σ; the halving divides only
// those that are made now. If simulations are pending, they count as visits, and a
// choice among actions is made by the values that are known.
//
// Matches, where a search goes by the clock and has no number of visits to divide, have
// PUCT at the root.
type Gumbel struct {
	Actions int     // the largest number of actions to visit; the paper's m
	Scale   float32 // c_scale; the paper: 1
}

var _ Root = Gumbel{}

// visitsBefore is added to the largest number of visits: c_visit in the paper.
const visitsBefore = 50

// negligible is the weight below which an action is left out of the improved policy, so
// that rows have no hundreds of weights that say nothing.
const negligible = 1e-6

// draws is what Gumbel stores for each of the root's edges, in their order.
type draws struct {
	logits []float32 // the logarithms of the network's priors
	noise  []float32 // g
	kept   []int32   // the visits at the time of enter
}

func (g Gumbel) enter(c *core, n *stats) {
	d := &c.draws
	d.logits, d.noise, d.kept = d.logits[:0], d.noise[:0], d.kept[:0]
	for _, e := range c.edgesOf(n) {
		d.logits = append(d.logits, float32(detmath.Log(max(float64(e.prior), math.SmallestNonzeroFloat32))))
		d.noise = append(d.noise, gumbel(c.rng))
		d.kept = append(d.kept, e.visits)
	}
}

// gumbel draws from the Gumbel distribution with location 0 and scale 1.
func gumbel(rng *rand.Rand) float32 {
	return float32(-detmath.Log(max(detmath.Exponential(rng), 0x1p-60))) // finite
}

// made returns the number of visits of edge i since enter was called, pending ones included.
func (d *draws) made(e *edge, i int) int { return int(e.visits) + int(e.pending) - int(d.kept[i]) }

// next returns the best of the edges that have as many visits as sequential halving demands
// now. If no edge has, it takes those whose number is nearest to that, as nearer defines it.
func (g Gumbel) next(c *core, n *stats) int32 {
	edges, d := c.edgesOf(n), &c.draws
	budget, made := c.visits-1, 0 // the root's first visit is its own evaluation
	for i := range edges {
		budget -= int(d.kept[i])
		made += d.made(&edges[i], i)
	}
	want := halving(min(g.Actions, len(edges)), budget, made)
	lost, level := engine.WonBy(1-mover(n.sign)), -1
	for i := range edges {
		if v := d.made(&edges[i], i); edges[i].proven != lost && (level < 0 || nearer(v, level, want)) {
			level = v
		}
	}
	return n.first + int32(g.best(c, n, 1, func(e *edge, i int) bool { return e.proven != lost && d.made(e, i) == level }))
}

// halving returns how many visits an action must have in order to get visit number i, counted
// from 0, in a sequential halving of budget visits among considered actions. With 4 actions
// and a budget of 8 the results for i = 0 … 7 are 0 0 0 0 1 1 2 2.
func halving(considered, budget, i int) (visits int) {
	phases := max(1, bits.Len(uint(considered-1))) // log2, rounded up
	for {
		each := max(1, budget/(phases*considered))
		if i < each*considered {
			return visits + i/considered
		}
		i -= each * considered
		visits += each
		considered = max(min(2, considered), considered/2)
	}
}

// nearer reports whether v is nearer to want than w is. Any number up to want is nearer than
// any above it.
func nearer(v, w, want int) bool {
	switch {
	case v <= want && w <= want:
		return v > w
	case v > want && w > want:
		return v < w
	}
	return v <= want
}

// best returns the index of the edge with the best score among those that candidate accepts.
// The noise in the score is multiplied by temperature.
func (g Gumbel) best(c *core, n *stats, temperature float32, candidate func(e *edge, i int) bool) int {
	edges, values := c.edgesOf(n), g.values(c, n)
	best, most := -1, float32(0)
	for i := range edges {
		if !candidate(&edges[i], i) {
			continue
		}
		score := c.draws.logits[i] + float32(temperature*c.draws.noise[i]) + values.sigma(&edges[i])
		if best < 0 || score > most {
			best, most = i, score
		}
	}
	return best
}

func (g Gumbel) choose(c *core, n *stats, temperature float32) int {
	level := -1
	for i, e := range c.edgesOf(n) {
		if n.counts(&e) {
			level = max(level, c.draws.made(&e, i))
		}
	}
	return g.best(c, n, temperature, func(e *edge, i int) bool { return n.counts(e) && c.draws.made(e, i) == level })
}

func (g Gumbel) policy(c *core, n *stats, weights []float32) {
	edges, values := c.edgesOf(n), g.values(c, n)
	largest := float32(math.Inf(-1))
	for i := range edges {
		weights[i] = c.draws.logits[i] + values.sigma(&edges[i])
		if n.counts(&edges[i]) {
			largest = max(largest, weights[i])
		}
	}
	for i := range weights {
		weights[i] = min(0, weights[i]-largest) // more than 0 do not count
	}
	detmath.Exp32s(weights)
	keep := func(least float32) {
		var sum float32
		for i := range weights {
			if weights[i] < least || !n.counts(&edges[i]) {
				weights[i] = 0
			}
			sum += weights[i]
		}
		for i := range weights {
			weights[i] /= sum
		}
	}
	keep(0)
	keep(negligible)
}

// values computes σ(q) of edges.
type values struct {
	sign  float32 // of the player to move
	scale float32
	mixed float32 // q of edges without visits
}

// values computes what is common to the root's edges. The mixed value estimates the
// policy's own value, from v, the network's value of the root, and the edges that have
// visits (appendix D of the paper):
//
//	mixed = (v + ΣN · Σ(P·q)/ΣP) / (1 + ΣN)    sums over the edges with visits
func (g Gumbel) values(c *core, n *stats) values {
	x := values{sign: n.sign}
	total, prior, weighted := float32(0), float32(0), float32(0)
	sum, most := int32(0), int32(0)
	for i, e := range c.edgesOf(n) {
		if e.visits == 0 {
			continue
		}
		total += e.total
		prior += c.network[i]
		weighted += float32(c.network[i] * x.q(&e))
		sum, most = sum+e.visits, max(most, e.visits)
	}
	x.scale = float32((visitsBefore + float32(most)) * g.Scale)
	x.mixed = min(max(float32(n.sign*(n.total-total)), -1), 1) // v: all else that was backed up went through the edges
	if prior > 0 {
		x.mixed = (x.mixed + float32(float32(sum)*weighted/prior)) / float32(1+sum)
	}
	return x
}

// q is an edge's value for the player to move, in [-1, 1].
func (x *values) q(e *edge) float32 {
	switch {
	case e.proven != engine.Ongoing:
		return float32(x.sign * e.proven.Value())
	case e.visits == 0:
		return x.mixed
	}
	return x.sign * e.total / float32(e.visits)
}

func (x *values) sigma(e *edge) float32 { return float32(x.scale * (1 + x.q(e)) / 2) }
