package mcts

import "dojo/engine"

func (t *tree[S]) Play(a engine.Action) {
	root := &t.nodes[0]
	for _, e := range t.edgesOf(&root.stats) {
		if e.action == a && e.child != none {
			t.keep(e.child)
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
	level := append(t.level[:0], 0) // indices of nodes, breadth first
	for from, depth := 0, 0; from < len(level) && depth <= deepest; depth++ {
		to := len(level)
		for ; from < to; from++ {
			n := &t.nodes[level[from]]
			if n.state == s {
				if level[from] != 0 {
					t.keep(level[from])
				}
				t.level = level
				return true
			}
			for _, e := range t.edgesOf(&n.stats) {
				if e.child != none {
					level = append(level, e.child)
				}
			}
		}
	}
	t.level = level
	return false
}

// keep makes a node the root: it copies the node and all below it to the spare memory,
// breadth first, and uses that as the tree.
func (t *tree[S]) keep(root int32) {
	nodes, edges := append(t.spareNodes[:0], t.nodes[root]), t.spareEdges[:0]
	for i := 0; i < len(nodes); i++ {
		first := int32(len(edges))
		edges = append(edges, t.edges[nodes[i].first:nodes[i].first+nodes[i].count]...)
		nodes[i].first = first
		for j := range edges[first:] {
			if e := &edges[int(first)+j]; e.child != none {
				nodes = append(nodes, t.nodes[e.child])
				e.child = int32(len(nodes) - 1)
			}
		}
	}
	t.spareNodes, t.spareEdges = t.nodes, t.edges
	t.nodes, t.edges = nodes, edges
	if n := &t.nodes[0]; n.count == 0 && n.proven != n.state.Outcome() { // proven by tactics: it has no action to choose
		n.stats = stats{sign: n.sign}
	}
	t.newRoot()
}
