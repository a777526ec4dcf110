package mcts

import "dojo.example/engine"

func (t *tree[S]) Play(a engine.Action) {
	root := t.rootNode()
	for _, e := range t.edgesOf(root) {
		if t.legal[root.first+int32(e.index)] == a && e.child != none {
			t.keep(e.child)
			return
		}
	}
	t.restart((*t.rootState()).Play(a))
}

// deepest is the number of plies below the root that Follow searches: two turns of two actions
// each.
const deepest = 4

func (t *tree[S]) Follow(p engine.Position) bool {
	s := t.stateOf(p)
	level := append(t.level[:0], t.root) // indices of nodes, breadth first
	for from, depth := 0, 0; from < len(level) && depth <= deepest; depth++ {
		to := len(level)
		for ; from < to; from++ {
			at := level[from]
			if t.states[at] == s {
				if at != t.root {
					t.keep(at)
				}
				t.level = level
				return true
			}
			for _, e := range t.edgesOf(&t.nodes[at]) {
				if e.child != none {
					level = append(level, e.child)
				}
			}
		}
	}
	t.level = level
	return false
}

// keep makes a node the root. If the new root has fewer visits than half the number of nodes in the
// tree, keep also drops the nodes that are not below the root, by copying the others. If there is
// no memory for the copy, keep drops all nodes.
func (t *tree[S]) keep(root int32) {
	t.root = root
	if t.Visits() < len(t.nodes)/2 && !t.compact() {
		t.restart(*t.rootState())
		return
	}
	if n := t.rootNode(); n.count == 0 && n.proven != (*t.rootState()).Outcome() {
		// Tactics proved this node without storing its actions. Choose needs them, so the node is
		// reset, and the search expands it again.
		*n = node{sign: n.sign, fresh: stale}
	}
	t.newRoot()
}

// compact copies the root and all nodes below it to the spare memory, breadth first. The copy
// replaces the tree. If there is no memory for the copy, compact changes nothing and returns false.
func (t *tree[S]) compact() bool {
	if !t.spareFor() {
		return false
	}
	states, to := append(t.spareStates, *t.rootState()), t.spare
	to.nodes, to.tried = append(to.nodes, *t.rootNode()), 0
	if t.cfg.Graph {
		t.table.reset(states)
	}
	for i := 0; i < len(to.nodes); i++ {
		n := &to.nodes[i]
		to.copyFrom(&t.arrays, n)
		edges := to.edgesOf(n)
		for j := range edges {
			e := &edges[j]
			if e.child == none {
				continue
			}
			from, at := e.child, int32(len(states))
			states = append(states, t.states[from])
			if e.child = t.find(states); e.child == at {
				to.nodes = append(to.nodes, t.nodes[from])
			} else {
				states = states[:at]
			}
		}
	}
	t.spareStates, t.spare = t.states, t.arrays
	t.states, t.arrays, t.root = states, to, 0
	return true
}

// copyFrom copies the actions and edges of node n from the arrays "from" to the arrays a, and makes
// n refer to the copies.
func (a *arrays) copyFrom(from *arrays, n *node) {
	first, end := n.first, n.first+n.count
	n.first = int32(len(a.legal))
	a.legal = append(a.legal, from.legal[first:end]...)
	a.priors = append(a.priors, from.priors[first:end]...)
	if n.tried > 0 {
		a.tried += int(n.tried)
		a.moveFrom(from.edgesOf(n), n, roomOf(n.tried))
	}
}
