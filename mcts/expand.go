package mcts

import (
	"math"
	"slices"

	"dojo/engine"
	"dojo/internal/detmath"
)

func (t *tree[S]) Expand(logits []float32, value float32) {
	if t.leaf == none {
		panic("mcts: Expand answers no Leaf")
	}
	n := &t.nodes[t.leaf]
	t.legal = n.state.Legal(t.legal[:0])

	top := float32(math.Inf(-1))
	for _, a := range t.legal {
		top = max(top, logits[a])
	}
	edges := t.grow(n)
	var sum float32
	for i, a := range t.legal {
		p := float32(detmath.Exp(float64(logits[a] - top)))
		edges[i] = edge{action: a, child: none, prior: p}
		sum += p
	}
	for i := range edges {
		edges[i].prior /= sum
	}
	if t.cache != nil {
		t.cache.keep(n.state, edges, value)
	}
	t.expanded(n, value)
}

// recall is Expand from the cache.
func (t *tree[S]) recall(n *node[S], priors []float32, value float32) {
	t.legal = n.state.Legal(t.legal[:0])
	edges := t.grow(n)
	for i, a := range t.legal {
		edges[i] = edge{action: a, child: none, prior: priors[i]}
	}
	t.expanded(n, value)
}

// grow gives a node an edge for each legal action, to be filled in.
func (t *tree[S]) grow(n *node[S]) []edge {
	first := len(t.edges)
	n.first, n.count = int32(first), int32(len(t.legal))
	t.edges = slices.Grow(t.edges, len(t.legal))[:first+len(t.legal)]
	return t.edges[first:]
}

// expanded ends the simulation that gave the leaf its edges.
func (t *tree[S]) expanded(n *node[S], value float32) {
	if t.leaf == 0 {
		t.disturb(t.root())
	}
	t.leaf = none
	t.backup(float32(value * n.sign))
}

// backup adds a value, seen from First's side, to the root and every edge and
// node of the path. No sign flips on the way: players who move twice in a row
// need no special case.
func (t *tree[S]) backup(v float32) {
	t.nodes[0].visits++
	t.nodes[0].total += v
	for _, i := range t.path {
		e := &t.edges[i]
		e.visits++
		e.total += v
		n := &t.nodes[e.child]
		n.visits++
		n.total += v
	}
}

// prove carries the proof at the end of the path towards the root as far as
// it reaches: a node with a won action is won, and one whose actions are all
// proven is worth the best of them.
func (t *tree[S]) prove() {
	for k := len(t.path) - 1; k >= 0; k-- {
		e := &t.edges[t.path[k]]
		e.proven = t.nodes[e.child].proven
		parent := int32(0)
		if k > 0 {
			parent = t.edges[t.path[k-1]].child
		}
		n := &t.nodes[parent]
		if n.proven = t.proof(n); n.proven == engine.Ongoing {
			return
		}
	}
}

// proof is what the proven edges of n say of n.
func (t *tree[S]) proof(n *node[S]) engine.Outcome {
	won := engine.WonBy(mover(n.sign))
	all, worst := true, engine.WonBy(1-mover(n.sign))
	for _, e := range t.edges[n.first : n.first+n.count] {
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

func (t *tree[S]) Playout() float32 {
	if t.leaf == none {
		panic("mcts: Playout without a leaf")
	}
	n := &t.nodes[t.leaf]
	s := n.state
	for s.Outcome() == engine.Ongoing {
		t.legal = s.Legal(t.legal[:0])
		s = s.Play(t.legal[t.rng.IntN(len(t.legal))])
	}
	return s.Outcome().Value() * n.sign
}
