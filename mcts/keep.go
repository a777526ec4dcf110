package mcts

import (
	"slices"

	"dojo/engine"
)

func (t *tree[S]) Play(a engine.Action) {
	root := &t.nodes[0]
	for _, e := range t.edgesOf(&root.stats) {
		if t.legal[root.first+int32(e.index)] == a && e.child != none {
			t.keep(e)
			return
		}
	}
	t.restart(root.state.Play(a))
}

// deepest is the number of plies below the root that Follow searches: two turns of two
// actions.
const deepest = 4

func (t *tree[S]) Follow(p engine.Position) bool {
	s := t.stateOf(p)
	level := append(t.level[:0], 0) // indices of edges, breadth first
	for from, depth := 0, 0; from < len(level) && depth <= deepest; depth++ {
		to := len(level)
		for ; from < to; from++ {
			e := t.edges[level[from]]
			if t.nodes[e.child].state == s {
				if e.child != 0 {
					t.keep(e)
				}
				t.level = level
				return true
			}
			level = t.appendEdges(level, &t.nodes[e.child].stats)
		}
	}
	t.level = level
	return false
}

// appendEdges appends the edges of a node that have a child, as indices, in the order of their
// actions.
func (t *tree[S]) appendEdges(dst []int32, n *stats) []int32 {
	first := len(dst)
	for i, e := range t.edgesOf(n) {
		if e.child != none {
			dst = append(dst, n.edges+int32(i))
		}
	}
	slices.SortFunc(dst[first:], func(i, j int32) int { return int(t.edges[i].index) - int(t.edges[j].index) })
	return dst
}

// keep makes the child of an edge the root: it copies the node and all below it to the spare
// memory, breadth first, and uses that as the tree.
func (t *tree[S]) keep(root edge) {
	nodes, to := append(t.spareNodes[:0], t.nodes[root.child]), t.spare
	root.child = 0
	to.edges, to.legal, to.priors = append(to.edges[:0], root), to.legal[:0], to.priors[:0]
	for i := 0; i < len(nodes); i++ {
		edges := to.copy(&nodes[i].stats, &t.arrays)
		for j := range edges {
			if e := &edges[j]; e.child != none {
				nodes = append(nodes, t.nodes[e.child])
				e.child = int32(len(nodes) - 1)
			}
		}
	}
	t.spareNodes, t.spare = t.nodes, t.arrays
	t.nodes, t.arrays = nodes, to
	if n := &t.nodes[0]; n.count == 0 && n.proven != n.state.Outcome() { // proven by tactics: it has no action to choose
		n.stats = stats{sign: n.sign, fresh: stale}
		t.edges[0] = edge{}
	}
	t.newRoot()
}

// copy copies the actions and edges of a node from other arrays and changes the node's indices
// of them. It returns the edges.
func (a *arrays) copy(n *stats, from *arrays) []edge {
	first, end := n.first, n.first+n.count
	n.first = int32(len(a.legal))
	a.legal = append(a.legal, from.legal[first:end]...)
	a.priors = append(a.priors, from.priors[first:end]...)
	if n.tried == 0 {
		return nil
	}
	edges := from.edges[n.edges : n.edges+n.tried]
	n.edges = a.room(n.count)
	copy(a.edges[n.edges:], edges)
	return a.edges[n.edges:][:n.tried]
}
