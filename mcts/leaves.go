package mcts

import (
	"dojo/engine"
)

// pending is a simulation that has reached its leaf and is not yet backed up.
type pending struct {
	path   []int32 // the edges to the leaf, as indices, from the one that leads to the root
	leaf   int32   // the node where it ended, as an index
	state  waiting
	marked bool      // its path has it counted as pending; see mark
	value  float32   // if cached: the evaluation, for the player to move at the leaf
	priors []float32 // if cached: the priors of the leaf's actions
}

// waiting is what a pending simulation waits for.
type waiting uint8

const (
	evaluation waiting = iota // for an evaluation, which Expand will give
	cached                    // only for its turn: the cache had the evaluation
	proven                    // only for its turn: the leaf is finished or proven
	collided                  // only for its turn: another pending simulation ended here, and this one will not count
)

func (t *tree[S]) Leaf(planes []float32) bool { return t.Leaves(planes, 1) == 1 }

func (t *tree[S]) Leaves(planes []float32, n int) (asked int) {
	return t.leaves(planes, nil, n)
}

func (t *tree[S]) ListLeaves(lists *engine.Lists, n int) (asked int) {
	return t.leaves(nil, lists, n)
}

// leaves is ListLeaves if lists is not nil, and Leaves otherwise.
func (t *tree[S]) leaves(planes []float32, lists *engine.Lists, n int) (asked int) {
	if t.visits == 0 || t.first < len(t.queue) {
		panic("mcts: Leaves before Begin, or before Expand answered the last ones")
	}
	t.queue, t.first = t.queue[:0], 0
	n = max(1, min(n, MaxPending, t.visits-t.Visits()))
	if n > 1 && !t.roomFor(n) {
		n = 1
	}
	for range n {
		p := t.descend(n > 1)
		if p.state == evaluation {
			if leaf := &t.states[p.leaf]; lists != nil {
				engine.AppendTo(lists, leaf)
			} else {
				(*leaf).Encode(planes[asked*t.size : (asked+1)*t.size])
			}
			asked++
		}
		if n > 1 {
			t.mark(p, 1)
		}
		if p.leaf == t.rootEdge().child {
			break // the root has no actions yet: there is no other leaf
		}
	}
	t.settle()
	return asked
}

// descend makes a simulation, as far as its leaf, and adds it to the queue. many says
// that Leaves makes several at once.
func (t *tree[S]) descend(many bool) *pending {
	if len(t.queue) < cap(t.queue) {
		t.queue = t.queue[:len(t.queue)+1] // with the memory of an earlier one
	} else {
		t.queue = append(t.queue, pending{})
	}
	p := &t.queue[len(t.queue)-1]
	at := t.rootEdge()
	path := append(p.path[:0], t.root)
	for n := t.rootNode(); n.proven == engine.Ongoing && n.count > 0; n = &t.nodes[at.child] {
		parent, reduction := at.child, t.cfg.FPUReduction
		if len(path) == 1 && t.noise.Weight > 0 {
			reduction = 0 // as in KataGo
		}
		i := t.best(n, at, reduction)
		path = append(path, i)
		at = &t.edges[i]
		if at.child == none {
			at.child = t.add(parent, t.legal[n.first+int32(at.index)])
		}
	}
	p.path, p.leaf, p.state, p.marked = path, at.child, evaluation, many
	n := &t.nodes[at.child]
	switch {
	case n.proven != engine.Ongoing:
		p.state = proven
	case at.pending > 0:
		p.state = collided
	case t.cache != nil:
		t.recall(p, t.states[at.child])
	}
	return p
}

// recall looks up the evaluation of a simulation's leaf in the cache; s is the leaf's state.
func (t *tree[S]) recall(p *pending, s S) {
	priors, value, ok := t.cache.find(s)
	if !ok {
		return
	}
	p.state, p.value, p.priors = cached, value, append(p.priors[:0], priors...)
}

// mark adds by, which is 1 or -1, to the pending simulations of every edge on the path.
func (t *tree[S]) mark(p *pending, by int8) {
	for _, i := range p.path {
		t.edges[i].pending += uint8(by)
	}
}

// settle backs up simulations from the front of the queue, up to the first that
// waits for an evaluation.
func (t *tree[S]) settle() {
	for t.first < len(t.queue) && t.queue[t.first].state != evaluation {
		p := t.take()
		n := &t.nodes[p.leaf]
		switch p.state {
		case proven:
			t.backup(p.path, n.proven.Value())
			t.prove(p.path)
		case cached:
			t.listed = t.states[p.leaf].Legal(t.listed[:0])
			copy(t.grow(n, t.listed), p.priors)
			t.expanded(p, p.value)
		}
	}
}

// take removes the first simulation from the queue.
func (t *tree[S]) take() *pending {
	p := &t.queue[t.first]
	if p.marked {
		t.mark(p, -1)
	}
	t.first++
	return p
}

// nextLeaf returns the node, as an index, that has waited longest for an evaluation. caller
// is named in the panic if none waits.
func (t *tree[S]) nextLeaf(caller string) int32 {
	if t.first >= len(t.queue) {
		panic("mcts: " + caller + " without a leaf")
	}
	return t.queue[t.first].leaf
}
