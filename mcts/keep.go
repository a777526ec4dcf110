package mcts

import "dojo.example/engine"

func (t *tree[S]) Play(a engine.Action) {
	root := t.rootNode()
	for i, e := range t.edgesOf(root) {
		if t.legal[root.first+int32(e.index)] == a && e.child != none {
			t.keep(root.edges + int32(i))
			return
		}
	}
	t.restart((*t.rootState()).Play(a))
}

// deepest is the number of plies below the root that Follow searches: two turns of two
// actions.
const deepest = 4

func (t *tree[S]) Follow(p engine.Position) bool {
	s := t.stateOf(p)
	level := append(t.level[:0], t.root) // indices of edges, breadth first
	for from, depth := 0, 0; from < len(level) && depth <= deepest; depth++ {
		to := len(level)
		for ; from < to; from++ {
			e := t.edges[level[from]]
			if t.states[e.child] == s {
				if level[from] != t.root {
					t.keep(level[from])
				}
				t.level = level
				return true
			}
			level = t.appendEdges(level, &t.nodes[e.child])
		}
	}
	t.level = level
	return false
}

// appendEdges appends the edges of a node that have a child, as indices.
func (t *tree[S]) appendEdges(dst []int32, n *node) []int32 {
	for i, e := range t.edgesOf(n) {
		if e.child != none {
			dst = append(dst, n.edges+int32(i))
		}
	}
	return dst
}

// keep makes the child of an edge the root. If most nodes are not below it, it is time to get
// rid of them.
func (t *tree[S]) keep(root int32) {
	t.root = root
	if int(t.rootEdge().visits) < len(t.nodes)/2 {
		t.compact()
	}
	if n := t.rootNode(); n.count == 0 && n.proven != (*t.rootState()).Outcome() { // proven by tactics: it has no action to choose
		*n = node{sign: n.sign, fresh: stale}
		*t.rootEdge() = edge{child: t.rootEdge().child}
	}
	t.newRoot()
}

// compact copies the root and all below it to the spare memory, breadth first, and uses that
// as the tree.
func (t *tree[S]) compact() {
	root := *t.rootEdge()
	states, to := append(t.spareStates[:0], t.states[root.child]), t.spare
	to.nodes, to.legal, to.priors = append(to.nodes[:0], t.nodes[root.child]), to.legal[:0], to.priors[:0]
	root.child = 0
	to.edges = append(to.edges[:0], root)
	for i := 0; i < len(to.nodes); i++ {
		n := &to.nodes[i]
		to.copyFrom(&t.arrays, n)
		edges := to.edgesOf(n)
		for j := range edges {
			if e := &edges[j]; e.child != none {
				states, to.nodes = append(states, t.states[e.child]), append(to.nodes, t.nodes[e.child])
				e.child = int32(len(states) - 1)
			}
		}
	}
	t.spareStates, t.spare = t.states, t.arrays
	t.states, t.arrays, t.root = states, to, 0
}

// copyFrom copies the actions and edges of the node n from other arrays, and changes the
// indices of n to those of the copies.
func (a *arrays) copyFrom(from *arrays, n *node) {
	first, end := n.first, n.first+n.count
	n.first = int32(len(a.legal))
	a.legal = append(a.legal, from.legal[first:end]...)
	a.priors = append(a.priors, from.priors[first:end]...)
	if n.tried > 0 {
		a.moveFrom(from.edgesOf(n), n, roomOf(n.tried))
	}
}
