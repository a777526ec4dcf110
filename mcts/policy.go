package mcts

import (
	"slices"

	"dojo/engine"
)

func (t *tree[S]) Visits() int { return int(t.nodes[0].visits) }

func (t *tree[S]) Value() float32 {
	n := &t.nodes[0]
	if n.proven != engine.Ongoing {
		return n.proven.Value()
	}
	if n.visits == 0 {
		return 0
	}
	return n.total / float32(n.visits)
}

func (t *tree[S]) Proven() engine.Outcome { return t.nodes[0].proven }

func (t *tree[S]) Policy(dst []float32) {
	clear(dst)
	n := &t.nodes[0].stats
	weights := t.improved(n)
	for i, e := range t.edgesOf(n) {
		dst[e.action] = weights[i]
	}
}

func (t *tree[S]) Choose(temperature float32) engine.Action {
	n := &t.nodes[0].stats
	if n.count == 0 {
		panic("mcts: Choose before the root was expanded")
	}
	if i, ok := t.tabled(); ok {
		return t.edgesOf(n)[i].action
	}
	return t.edgesOf(n)[t.choose(n, temperature)].action
}

func (t *tree[S]) Edges(dst []Edge) []Edge {
	for i, e := range t.edgesOf(&t.nodes[0].stats) {
		out := Edge{Action: e.action, Network: e.prior, Prior: e.prior, Visits: int(e.visits), Proven: e.proven}
		if t.entered {
			out.Network = t.network[i]
		}
		if e.visits > 0 {
			out.Value = e.total / float32(e.visits)
		}
		if e.proven != engine.Ongoing {
			out.Value = e.proven.Value()
		}
		dst = append(dst, out)
	}
	return dst
}

func (t *tree[S]) Line(dst []engine.Action) []engine.Action {
	if t.nodes[0].count == 0 {
		return dst
	}
	best := t.Choose(0)
	return t.LineAfter(best, append(dst, best))
}

func (t *tree[S]) LineAfter(a engine.Action, dst []engine.Action) []engine.Action {
	root := t.edgesOf(&t.nodes[0].stats)
	e := &root[slices.IndexFunc(root, func(e edge) bool { return e.action == a })]
	for e.child != none && t.nodes[e.child].count > 0 {
		if e = t.principal(&t.nodes[e.child].stats); e.visits == 0 {
			break
		}
		dst = append(dst, e.action)
	}
	return dst
}

// principal returns the edge of best play at a node below the root: the most visited one. If
// the node is proven, only edges with the same proven outcome are considered, because a win
// that was found late has few visits.
func (t *tree[S]) principal(n *stats) *edge {
	var best *edge
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if n.proven != engine.Ongoing && e.proven != n.proven {
			continue
		}
		if best == nil || e.visits > best.visits {
			best = e
		}
	}
	return best
}
