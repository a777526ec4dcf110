package mcts

import "dojo.example/engine"

func (t *tree[S]) Leaf(in *engine.Input) bool {
	if t.visits == 0 || t.waits != none {
		panic("mcts: Leaf before Begin, or before Expand answered the last one")
	}
	leaf := t.descend()
	if o := t.nodes[leaf].proven; o != engine.Ongoing {
		t.backup(o.Value())
		t.prove()
		return false
	}
	t.waits = leaf
	engine.AppendTo(in, &t.states[leaf])
	return true
}

// descend follows the best edges from the root to a node that has no actions or is proven,
// and returns it, as an index. t.path has the edges.
func (t *tree[S]) descend() (leaf int32) {
	at := t.rootEdge()
	t.path = append(t.path[:0], t.root)
	for n := t.rootNode(); n.proven == engine.Ongoing && n.count > 0; n = &t.nodes[at.child] {
		parent, reduction := at.child, t.cfg.FPUReduction
		if len(t.path) == 1 && t.noise.Weight > 0 {
			reduction = 0 // as in KataGo
		}
		i := t.best(n, at, reduction)
		t.path = append(t.path, i)
		at = &t.edges[i]
		if at.child == none {
			at.child = t.add(parent, t.legal[n.first+int32(at.index)])
		}
	}
	return at.child
}

// waiting returns the node, as an index, that waits for its evaluation. caller is named in
// the panic if none waits.
func (t *tree[S]) waiting(caller string) int32 {
	if t.waits == none {
		panic("mcts: " + caller + " without a leaf")
	}
	return t.waits
}
