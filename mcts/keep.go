package mcts

import "dojo/engine"

func (t *tree[S]) Play(a engine.Action) {
	root := t.nodes[0]
	for _, e := range t.root() {
		if e.action == a && e.child != none {
			t.keep(e.child)
			t.disturb(t.root())
			return
		}
	}
	t.restart(root.state.Play(a))
}

// keep moves the subtree below a node to the spare memory, breadth first, and
// makes it the tree.
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
	t.nodes, t.edges, t.leaf = nodes, edges, none
}
