package mcts

import (
	"math"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
)

func (t *tree[S]) Leaf(in *engine.Input) bool {
	if t.visits == 0 || t.waits != none {
		panic("mcts: Leaf was called before Begin, or before the last leaf was expanded")
	}
	leaf := t.descend()
	n := &t.nodes[leaf]
	switch o := n.proven; {
	case o != engine.Ongoing:
		n.add(o.Value(), o.Value())
		t.backup(o.Value())
		t.prove()
		return false
	case t.known:
		t.backup(n.mean)
		return false
	}
	t.waits = leaf
	engine.AppendTo(in, &t.states[leaf])
	return true
}

// descend follows the best edges from the root to a node that has no actions or is proven, and
// returns the index of that node. It stores the edges in t.path. In a graph, descend also stops at
// a node that has more visits than the edge to it, because other edges lead there too. It then sets
// t.known, and the simulation uses the node's value without an evaluation.
func (t *tree[S]) descend() (leaf int32) {
	t.path, t.known = t.path[:0], false
	at := t.root
	n := t.rootNode()
	if n.proven != engine.Ongoing || n.count == 0 {
		return at
	}
	for i := t.rule.next(&t.core, n); ; i = t.best(n, t.cfg.FPUReduction) {
		t.path = append(t.path, i)
		e := &t.edges[i]
		if e.child == none {
			e.child = t.add(at, t.legal[n.first+int32(e.index)])
		}
		at = e.child
		if t.nodes[at].visits > e.visits {
			t.known = true
			return at
		}
		if n = &t.nodes[at]; n.proven != engine.Ongoing || n.count == 0 {
			return at
		}
	}
}

// waiting returns the index of the node that waits for its evaluation. If no node waits, it panics
// with a message that names the caller.
func (t *tree[S]) waiting(caller string) int32 {
	if t.waits == none {
		panic("mcts: " + caller + " was called, but no leaf waits for it")
	}
	return t.waits
}

// best returns the edge with the highest Q + U for the player to move at node n, as an index into
// c.edges. It leaves out actions that are proven lost. At least one action is not proven lost,
// because otherwise the node would be proven.
//
// For an unvisited action, Q is the node's mean value minus reduction · √(sum of the visited
// actions' priors), as in KataGo. If the prior is spread over hundreds of actions, this square root
// is small after the first visit. So the reduction does not stop the search from visiting other
// actions after the first.
func (c *core) best(n *node, reduction float32) int32 {
	if n.fresh == stale {
		c.refresh(n)
	}
	scale := c.scaleOf(int(n.visits))
	sign, lost := n.sign, engine.WonBy(1-mover(n.sign))
	best, unvisited := int64(math.MinInt64), false
	edges := c.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.proven == lost {
			continue
		}
		if e.visits == 0 {
			unvisited = true // the edge's only simulation was dropped, or examineRoot added the edge
			continue
		}
		u := scale * e.prior / float32(1+e.visits)
		best = max(best, ranked(float32(sign*e.mean)+u, i))
	}
	// The conversions to float32 round both products, so that no compiler fuses a product with a
	// sum.
	fpu := float32(sign*n.mean) - float32(reduction*n.spread)
	switch {
	case n.fresh == none || ranked(fpu+float32(scale*n.freshPrior), math.MaxInt32) <= best:
		return n.edges + rankedPlace(best)
	case unvisited:
		return c.edgeOf(n, n.fresh)
	}
	return c.newEdge(n, n.fresh)
}

// ranked packs a score and an edge's place into one number. The maximum of several such numbers has
// the largest score and, among equal scores, the first place. Go computes a maximum of integers
// without a branch. A branch would be slow here, because the processor could not predict it.
func ranked(score float32, place int) int64 {
	return int64(detmath.Ordered(score))<<32 | int64(^uint32(place))
}

// rankedPlace returns the place from a number that ranked has packed.
func rankedPlace(ranked int64) int32 { return int32(^uint32(ranked)) }

// refresh finds the best unvisited action of a node and adds up the priors of its visited actions.
// At most nodes it runs once for each action that the search visits there.
func (c *core) refresh(n *node) {
	n.fresh, n.freshPrior = largest(c.priors[n.first:][:n.count])
	seen, edges := float32(0), c.edgesOf(n)
	for i := range edges {
		if e := &edges[i]; e.visits > 0 {
			seen += e.prior
		}
	}
	n.spread = float32(math.Sqrt(float64(seen)))
}

// largest returns the index and the value of the largest prior that is not negative. Among equal
// priors it takes the first one. If all priors are negative, the index is none.
func largest(priors []float32) (index int32, prior float32) {
	best := int64(-1)
	for i, p := range priors {
		best = max(best, int64(int32(math.Float32bits(p)))<<32|int64(^uint32(i)))
	}
	if best < 0 {
		return none, 0
	}
	return int32(^uint32(best)), math.Float32frombits(uint32(best >> 32))
}

// scaleOf returns c(s)·√N(s) for a node with n visits.
func (c *core) scaleOf(n int) float32 {
	if n >= maxScales {
		return c.cfg.exploration(n)
	}
	for n >= len(c.scale) {
		c.scale = append(c.scale, c.cfg.exploration(len(c.scale)))
	}
	return c.scale[n]
}

// mover returns the player to move at a node with the given sign.
func mover(sign float32) engine.Player {
	if sign > 0 {
		return engine.First
	}
	return engine.Second
}
