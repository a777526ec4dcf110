package mcts

import (
	"math"
	"slices"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
)

// Expand makes the softmax of the logits, divided by the prior temperature, the priors.
func (t *tree[S]) Expand(legal []engine.Action, logits []float32, value float32) {
	leaf := t.waiting("Expand")
	priors := t.grow(&t.nodes[leaf], legal)
	softmax(priors, logits, t.cfg.PriorTemperature)
	t.waits = none
	if leaf == t.rootEdge().child {
		t.enter()
	}
	t.backup(float32(value * t.nodes[leaf].sign))
}

// softmax writes the softmax of the first len(dst) logits at a temperature; 0 stands for 1.
func softmax(dst, logits []float32, temperature float32) {
	logits = logits[:len(dst)]
	most := int32(math.MinInt32)
	for _, x := range logits {
		most = max(most, ordered(x))
	}
	top := unordered(most)
	for i, x := range logits {
		dst[i] = x - top
	}
	if temperature != 0 {
		for i := range dst {
			dst[i] /= temperature
		}
	}
	detmath.Exp32s(dst)
	var sum float32
	for _, p := range dst {
		sum += p
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// grow gives a node its legal actions and returns their priors to be filled in.
func (t *tree[S]) grow(n *node, legal []engine.Action) (priors []float32) {
	first := len(t.legal)
	if first+len(legal) > math.MaxInt32 {
		panic("mcts: a simulation in a tree that is full")
	}
	n.first, n.count = int32(first), int32(len(legal))
	t.legal = append(grown(t.legal, len(legal)), legal...)
	t.priors = grown(t.priors, len(legal))[:first+len(legal)]
	return t.priors[first:]
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

// backup adds a value, from First's side, to every edge on the path. No sign changes on
// the way, so that a player may move twice in a row.
func (t *tree[S]) backup(v float32) {
	path := t.path
	for _, i := range path {
		t.edges[i].add(v)
	}
	if last := len(path) - 1; last > 0 {
		if e := &t.edges[path[last]]; e.visits == 1 {
			t.visit(&t.nodes[t.edges[path[last-1]].child], e)
		}
	}
}

// summed is the number of visits up to which an edge adds its values in a float32, whose
// rounding then stays below 1e-4 of the mean. The sum of more values drifts: 2.4 million
// times 0.93 gave a mean of 0.908.
const summed = 4096

// add counts a visit with a value, from First's side. The sum of squares is updated as in
// Welford 1962.
func (e *edge) add(v float32) {
	e.visits++
	before := v - e.mean
	if e.visits <= summed {
		e.total += v
		e.mean = e.total / float32(e.visits)
	} else {
		e.addExactly(v)
	}
	e.squares += float32(before * (v - e.mean))
}

// addExactly updates the mean of an edge with more visits. The mean now has 48 bits: mean
// holds the upper half and total what that lacks.
func (e *edge) addExactly(v float32) {
	mean := float64(e.mean) + float64(e.total)
	if e.visits == summed+1 {
		mean = float64(e.total) / summed
	}
	mean += (float64(v) - mean) / float64(e.visits)
	e.mean = float32(mean)
	e.total = float32(mean - float64(e.mean))
}

// prove updates the nodes on a path whose leaf is proven, from the leaf's parent up to the root
// or to the first node that stays unproven. A node is won for the player to move if one of its
// actions is won; if all its actions are proven, it has the outcome of the best one.
func (t *tree[S]) prove() {
	path := t.path
	for k := len(path) - 1; k > 0; k-- {
		e := &t.edges[path[k]]
		e.proven = t.nodes[e.child].proven
		n := &t.nodes[t.edges[path[k-1]].child]
		if n.proven = t.proof(n); n.proven == engine.Ongoing {
			return
		}
	}
}

// proof returns the outcome of node n that follows from its proven edges; Ongoing if none
// does. An action that was not tried is not proven.
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

func (t *tree[S]) Playout() float32 {
	leaf := t.waiting("Playout")
	s := t.states[leaf]
	for s.Outcome() == engine.Ongoing {
		t.listed = s.Legal(t.listed[:0])
		s = s.Play(t.listed[t.rng.IntN(len(t.listed))])
	}
	return s.Outcome().Value() * t.nodes[leaf].sign
}
