package mcts

import (
	"cmp"
	"fmt"
	"math"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
)

// Expand computes the priors: the softmax of the logits divided by the prior temperature.
func (t *tree[S]) Expand(legal []engine.Action, logits []float32, value float32) {
	leaf := t.waiting("Expand")
	n := &t.nodes[leaf]
	priors := t.grow(n, legal)
	detmath.Softmax(priors, logits[:len(legal)], cmp.Or(t.cfg.PriorTemperature, 1))
	t.waits = none
	if leaf == t.root {
		t.enter()
	}
	v := float32(value * n.sign)
	n.add(v, v)
	t.backup(v)
}

// grow stores the legal actions of node n. It returns the slice for their priors, and the caller
// must fill this slice.
func (t *tree[S]) grow(n *node, legal []engine.Action) (priors []float32) {
	first := len(t.legal)
	if first+len(legal) > math.MaxInt32 {
		panic("mcts: a simulation began, but the tree is full")
	}
	n.first, n.count = int32(first), int32(len(legal))
	t.legal = append(grown(t.legal, len(legal)), legal...)
	t.priors = grown(t.priors, len(legal))[:first+len(legal)]
	return t.priors[first:]
}

// backup counts a visit for every edge on the path and for every node except the last one, which
// already has its value. All values are for First, so backup never changes a sign, even if the same
// player moves twice in a row.
//
// The value of a node is the mean of its own evaluation and its edges' values, weighted by their
// visits. In a tree, each simulation adds its value v to the sum W(s) of each node on the path. In
// a graph, simulations through other edges may have changed the value of an edge's child since the
// last visit of the edge. Then W(s) grows by the change of N(s,a)·Q(s,a), and the sums of the nodes
// above grow by the same amount (Czech et al. 2021, "Monte-Carlo Graph Search for AlphaZero";
// KataGo, docs/GraphSearch.md).
func (t *tree[S]) backup(v float32) {
	growth := v
	for k := len(t.path) - 1; k >= 0; k-- {
		e, n := &t.edges[t.path[k]], t.parentOf(k)
		c := &t.nodes[e.child]
		if e.visits++; e.visits != c.visits || t.known {
			growth = c.mean + float32(float32(e.visits-1)*(c.mean-e.mean))
			t.known = false
		}
		e.mean = c.mean
		if e.visits == 1 {
			t.visit(n, e)
		}
		n.add(v, growth)
	}
}

// parentOf returns the node from which edge number k of the path leads. The first edge has the
// number 0.
func (c *core) parentOf(k int) *node {
	if k == 0 {
		return c.rootNode()
	}
	return &c.nodes[c.edges[c.path[k-1]].child]
}

// A node with at most this many visits adds its values in a float32. The rounding error then stays
// below 1e-4 of the mean. The float32 sum of more values drifts: for 2.4 million values of 0.93 the
// mean came out as 0.908.
const summed = 4096

// add counts a visit of n with the value v for First, and increases the sum W(s) by growth. In a
// tree growth equals v. In a graph it may differ; see backup. The sum of squares is updated by the
// method of Welford 1962.
func (n *node) add(v, growth float32) {
	n.visits++
	before := v - n.mean
	if n.visits <= summed {
		n.total += growth
		n.mean = n.total / float32(n.visits)
	} else {
		n.addExactly(growth)
	}
	n.squares += float32(before * (v - n.mean))
}

// addExactly updates the mean of a node that has more visits than the constant summed. It keeps the
// mean in 48 bits: n.mean holds the upper half and n.total the remainder.
func (n *node) addExactly(growth float32) {
	mean := float64(n.mean) + float64(n.total)
	if n.visits == summed+1 {
		mean = float64(n.total) / summed
	}
	mean += (float64(growth) - mean) / float64(n.visits)
	n.mean = float32(mean)
	n.total = float32(mean - float64(n.mean))
}

// prove updates the nodes on a path whose leaf is proven. It goes from the leaf's parent up to the
// root, and stops at the first node that stays unproven. A node is won for the player to move if
// one of its actions is won. If all its actions are proven, the node's outcome is the outcome of
// its best action.
func (t *tree[S]) prove() {
	for k := len(t.path) - 1; k >= 0; k-- {
		e, n := &t.edges[t.path[k]], t.parentOf(k)
		e.proven = t.nodes[e.child].proven
		if n.proven = t.proof(n); n.proven == engine.Ongoing {
			return
		}
	}
}

// proof returns the outcome of node n that follows from its proven edges, or Ongoing if they decide
// nothing. An action without an edge counts as unproven.
func (c *core) proof(n *node) engine.Outcome {
	won := engine.WonBy(mover(n.sign))
	all, worst := int32(n.tried) == n.count, engine.WonBy(1-mover(n.sign))
	for _, e := range c.edgesOf(n) {
		switch e.proven {
		case won:
			return won
		case engine.Ongoing:
			all = false
		case engine.Draw:
			worst = engine.Draw
		}
	}
	if !all {
		return engine.Ongoing
	}
	return worst
}

func (t *tree[S]) RandomPlayout() (float32, error) {
	leaf := t.waiting("RandomPlayout")
	if p, ok := any(&t.states[leaf]).(engine.Playouter); ok {
		return p.Playout(t.rng.Uint64()).Value() * t.nodes[leaf].sign, nil
	}
	s := t.states[leaf]
	for plies := 0; s.Outcome() == engine.Ongoing; plies++ {
		t.listed = s.Legal(t.listed[:0])
		switch {
		case len(t.listed) == 0:
			return 0, fmt.Errorf("game %s is not over in %q, but there is no legal action", t.rules.Name, s)
		case plies == t.rules.MaxPlies:
			return 0, fmt.Errorf("game %s is not over after a playout of %d plies, in %q", t.rules.Name, plies, s)
		}
		s = s.Play(t.listed[t.rng.IntN(len(t.listed))])
	}
	return s.Outcome().Value() * t.nodes[leaf].sign, nil
}
