package mcts

import (
	"slices"

	"dojo.example/engine"
)

func (t *tree[S]) Visits() int { return int(t.rootNode().visits) }

func (t *tree[S]) Value() float32 {
	if o := t.rootNode().proven; o != engine.Ongoing {
		return o.Value()
	}
	return t.rootNode().mean
}

func (t *tree[S]) Proven() engine.Outcome { return t.rootNode().proven }

func (t *tree[S]) Policy(dst []float32) {
	clear(dst)
	n := t.rootNode()
	weights := t.improved(n)
	for i, w := range weights {
		dst[t.legal[int(n.first)+i]] = w
	}
}

func (t *tree[S]) Choose(temperature float32) engine.Action {
	n := t.rootNode()
	if n.count == 0 {
		panic("mcts: Choose before the root was expanded")
	}
	i, ok := t.tabled()
	if !ok {
		i = t.choose(n, temperature)
	}
	return t.legal[int(n.first)+i]
}

func (t *tree[S]) Edges(dst []Edge) []Edge {
	for i, e := range t.optionsOf(t.rootNode()) {
		out := Edge{Action: e.action, Network: e.prior, Prior: e.prior, Visits: int(e.visits), Proven: e.proven}
		if t.entered {
			out.Network = t.network[i]
		}
		out.Value = e.mean
		if e.proven != engine.Ongoing {
			out.Value = e.proven.Value()
		}
		dst = append(dst, out)
	}
	return dst
}

func (t *tree[S]) LineAfter(a engine.Action, dst []engine.Action) []engine.Action {
	root := t.optionsOf(t.rootNode())
	e := &root[slices.IndexFunc(root, func(o option) bool { return o.action == a })]
	for e.child != none && t.nodes[e.child].count > 0 {
		if e = t.principal(&t.nodes[e.child]); e.visits == 0 {
			break
		}
		dst = append(dst, e.action)
	}
	return dst
}

// principal returns the option of best play at a node below the root: the most visited one. If
// the node is proven, only those with the same proven outcome are considered, because a win
// that was found late has few visits.
func (t *tree[S]) principal(n *node) *option {
	var best *option
	options := t.optionsOf(n)
	for i := range options {
		e := &options[i]
		if n.proven != engine.Ongoing && e.proven != n.proven {
			continue
		}
		if best == nil || e.visits > best.visits {
			best = e
		}
	}
	return best
}
