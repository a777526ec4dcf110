package mcts

import (
	"dojo/engine"
)

// pending is a simulation that has descended and is not yet backed up.
type pending struct {
	path   []int32 // the edges from the root to the leaf
	leaf   int32   // the node where it ended
	state  waiting
	marked bool      // it counts as pending on its path
	value  float32   // if recalled: for the player to move at the leaf
	priors []float32 // if recalled
}

// waiting is what a pending simulation waits for.
type waiting uint8

const (
	answer   waiting = iota // an evaluation, by Expand
	recalled                // nothing: the cache has the evaluation
	proven                  // nothing: the leaf is finished or proven
	collided                // nothing: another pending simulation has this leaf; it will not count
)

func (t *tree[S]) Leaf(planes []float32) bool { return t.Leaves(planes, 1) == 1 }

func (t *tree[S]) Leaves(planes []float32, n int) (asked int) {
	return t.leaves(planes, nil, n)
}

func (t *tree[S]) ListLeaves(lists *engine.Lists, n int) (asked int) {
	return t.leaves(nil, lists, n)
}

// leaves is Leaves, or ListLeaves where there are lists.
func (t *tree[S]) leaves(planes []float32, lists *engine.Lists, n int) (asked int) {
	if t.root == nil || t.first < len(t.queue) {
		panic("mcts: Leaves before Begin, or before Expand answered the last ones")
	}
	t.queue, t.first = t.queue[:0], 0
	n = max(1, min(n, MaxPending, t.visits-int(t.nodes[0].visits)))
	if n > 1 && !t.room(n) {
		n = 1
	}
	for range n {
		p := t.descend(n > 1)
		if p.state == answer {
			if leaf := &t.nodes[p.leaf].state; lists != nil {
				engine.AppendTo(lists, leaf)
			} else {
				(*leaf).Encode(planes[asked*t.size : (asked+1)*t.size])
			}
			asked++
		}
		if n > 1 {
			t.mark(p, 1)
		}
		if p.leaf == 0 {
			break // a root without edges has nothing else to ask
		}
	}
	t.settle()
	return asked
}

// descend adds a simulation to the queue. Others may be pending beside it if
// it is one of many.
func (t *tree[S]) descend(many bool) *pending {
	if len(t.queue) < cap(t.queue) {
		t.queue = t.queue[:len(t.queue)+1] // with the memory of an earlier one
	} else {
		t.queue = append(t.queue, pending{})
	}
	p := &t.queue[len(t.queue)-1]
	path, at := p.path[:0], int32(0)
	for n := &t.nodes[0]; n.proven == engine.Ongoing && n.count > 0; n = &t.nodes[at] {
		var i int32
		if at == 0 {
			i = t.root.next(&t.core, &n.stats)
		} else {
			i = t.best(&n.stats, t.cfg.FPUReduction)
		}
		path = append(path, i)
		if t.edges[i].child == none {
			t.edges[i].child = t.add(n.state.Play(t.edges[i].action))
		}
		at = t.edges[i].child
	}
	p.path, p.leaf, p.state, p.marked = path, at, answer, many
	n := &t.nodes[at]
	switch {
	case n.proven != engine.Ongoing:
		p.state = proven
	case n.pending > 0:
		p.state = collided
	case t.cache != nil:
		t.recall(p, n.state)
	}
	return p
}

// recall answers a simulation from the cache, if it can.
func (t *tree[S]) recall(p *pending, s S) {
	priors, value, ok := t.cache.find(s)
	if !ok {
		return
	}
	p.state, p.value, p.priors = recalled, value, append(p.priors[:0], priors...)
}

// mark counts a simulation as pending on its path, or with -1 no longer.
func (t *tree[S]) mark(p *pending, by int8) {
	t.nodes[0].pending += uint8(by)
	for _, i := range p.path {
		e := &t.edges[i]
		e.pending += uint8(by)
		t.nodes[e.child].pending += uint8(by)
	}
}

// settle backs up the simulations that wait for nothing, up to the first that
// wants an answer.
func (t *tree[S]) settle() {
	for t.first < len(t.queue) && t.queue[t.first].state != answer {
		p := t.take()
		n := &t.nodes[p.leaf]
		switch p.state {
		case proven:
			t.backup(p.path, n.proven.Value())
			t.prove(p.path)
		case recalled:
			t.legal = n.state.Legal(t.legal[:0])
			edges := t.grow(&n.stats, len(t.legal))
			for i, a := range t.legal {
				edges[i] = edge{action: a, child: none, prior: p.priors[i]}
			}
			t.expanded(p, p.value)
		}
	}
}

// take removes the first pending simulation; it has its turn now.
func (t *tree[S]) take() *pending {
	p := &t.queue[t.first]
	if p.marked {
		t.mark(p, -1)
	}
	t.first++
	return p
}

// next is the node whose evaluation is to come first.
func (t *tree[S]) next(caller string) *node[S] {
	if t.first >= len(t.queue) {
		panic("mcts: " + caller + " without a leaf")
	}
	return &t.nodes[t.queue[t.first].leaf]
}
