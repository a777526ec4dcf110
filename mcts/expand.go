package mcts

import (
	"math"
	"slices"

	"dojo/engine"
	"dojo/internal/detmath"
)

func (t *tree[S]) Expand(logits []float32, value float32) {
	n := t.nextLeaf("Expand")
	t.legal = n.state.Legal(t.legal[:0])
	t.logits = t.logits[:0]
	for _, a := range t.legal {
		t.logits = append(t.logits, logits[a])
	}
	t.expand(n, t.legal, t.logits, value)
}

func (t *tree[S]) ExpandLegal(legal []engine.Action, logits []float32, value float32) {
	t.expand(t.nextLeaf("ExpandLegal"), legal, logits, value)
}

// expand gives a leaf an edge for each of its legal actions, whose logits are in the
// same order. The softmax of the logits is the edges' priors.
func (t *tree[S]) expand(n *node[S], legal []engine.Action, logits []float32, value float32) {
	logits = logits[:len(legal)]
	top := float32(math.Inf(-1))
	for _, x := range logits {
		if x > top { // the built-in max takes seven times as long, because it handles NaN
			top = x
		}
	}
	t.softmax = slices.Grow(t.softmax[:0], len(logits))[:len(logits)]
	softmax := t.softmax
	for i, x := range logits {
		softmax[i] = x - top
	}
	detmath.Exp32s(softmax)
	var sum float32
	for _, p := range softmax {
		sum += p
	}
	edges := t.grow(&n.stats, len(legal))
	for i, p := range softmax[:len(edges)] {
		edges[i] = edge{action: legal[i], child: none, prior: p / sum}
	}
	if t.cache != nil {
		t.cache.keep(n.state, edges, value)
	}
	t.expanded(t.take(), value)
	t.settle()
}

// grow adds count edges to a node and returns them to be filled in.
func (t *tree[S]) grow(n *stats, count int) []edge {
	first := len(t.edges)
	if first+count > math.MaxInt32 {
		panic("mcts: a simulation in a tree that is Full")
	}
	n.first, n.count = int32(first), int32(count)
	t.edges = grown(t.edges, count)[:first+count]
	return t.edges[first:]
}

// grown returns s with room for n more elements. The room of a small slice is doubled, so that
// it is rarely copied.
func grown[E any](s []E, n int) []E {
	if len(s)+n <= cap(s) {
		return s
	}
	if len(s) < 1<<20 {
		n = max(n, len(s))
	}
	return slices.Grow(s, n)
}

// expanded ends a simulation whose leaf has just got its edges: it backs up the
// value, which is for the player to move at the leaf.
func (t *tree[S]) expanded(p *pending, value float32) {
	if p.leaf == 0 {
		t.enter()
	}
	t.backup(p.path, float32(value*t.nodes[p.leaf].sign))
}

// backup adds a value, from First's side, to the root and to every edge and node on
// the path. No sign changes on the way, so that a player may move twice in a row.
func (t *tree[S]) backup(path []int32, v float32) {
	t.nodes[0].visits++
	t.nodes[0].total += v
	for _, i := range path {
		e := &t.edges[i]
		e.visits++
		e.total += v
		n := &t.nodes[e.child]
		n.visits++
		n.total += v
	}
}

// prove updates the nodes on a path whose leaf is proven, from the leaf's parent up to the
// root or to the first that is not proven by that. A node is won for the player to move if one
// of its actions is; if all its actions are proven, its outcome is that of the best of them.
func (t *tree[S]) prove(path []int32) {
	for k := len(path) - 1; k >= 0; k-- {
		e := &t.edges[path[k]]
		e.proven = t.nodes[e.child].proven
		parent := int32(0)
		if k > 0 {
			parent = t.edges[path[k-1]].child
		}
		n := &t.nodes[parent].stats
		if n.proven = t.proof(n); n.proven == engine.Ongoing {
			return
		}
	}
}

// proof returns the outcome of node n that follows from its proven edges; Ongoing if none
// does.
func (c *core) proof(n *stats) engine.Outcome {
	won := engine.WonBy(mover(n.sign))
	all, worst := true, engine.WonBy(1-mover(n.sign))
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

func (t *tree[S]) Playout() float32 {
	n := t.nextLeaf("Playout")
	s := n.state
	for s.Outcome() == engine.Ongoing {
		t.legal = s.Legal(t.legal[:0])
		s = s.Play(t.legal[t.rng.IntN(len(t.legal))])
	}
	return s.Outcome().Value() * n.sign
}
