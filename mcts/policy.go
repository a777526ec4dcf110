package mcts

import "dojo/engine"

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
	return t.edgesOf(n)[t.root.choose(&t.core, n, temperature)].action
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
	n := &t.nodes[0].stats
	if n.count == 0 {
		return dst
	}
	e := &t.edgesOf(n)[t.root.choose(&t.core, n, 0)]
	for {
		dst = append(dst, e.action)
		if e.child == none || t.nodes[e.child].count == 0 {
			return dst
		}
		edges := t.edgesOf(&t.nodes[e.child].stats)
		e = &edges[0]
		for i := range edges {
			if edges[i].visits > e.visits {
				e = &edges[i]
			}
		}
		if e.visits == 0 {
			return dst
		}
	}
}
