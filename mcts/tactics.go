package mcts

import (
	"slices"

	"dojo/engine"
	"dojo/proof"
)

// Tactics are searches for forced wins (package proof). The zero value has none.
type Tactics struct {
	// Leaf is how many turns every new node is looked at: 1 finds a win at hand of
	// the player to move, 2 also a threat of the other's that cannot be met. A node
	// so decided is proven and asks no network. It does nothing in games whose states
	// are no engine.Striker.
	Leaf int `yaml:"leaf"`

	// Nodes bounds the positions made by Verify when the search of a move is over.
	// Where a move has a time, Verify gets a part of that instead. It does nothing in
	// games whose states are no engine.Hasher.
	Nodes int `yaml:"nodes"`
}

// maxNodes is about a second.
const maxNodes = 10_000_000

// ownNodes bounds the search for the mover's own win in Verify: the tree finds most of
// these itself.
const ownNodes = 5_000

// withTactics prepares a new tree for the tactics of its configuration.
func (t *tree[S]) withTactics() *tree[S] {
	var s S
	if _, ok := any(&s).(engine.Striker); ok {
		t.tactics.Leaf = t.cfg.Tactics.Leaf
	}
	if _, ok := any(&s).(engine.Hasher); ok {
		t.tactics.Nodes = t.cfg.Tactics.Nodes
	}
	if t.tactics != (Tactics{}) {
		t.prover = proof.New[S]()
	}
	return t
}

func (t *tree[S]) Tactics() Tactics { return t.tactics }

// examine proves a new node if a win is at hand there.
func (t *tree[S]) examine(n *node[S]) {
	if t.tactics.Leaf > 0 && n.proven == engine.Ongoing {
		n.proven = t.prover.Short(&n.state, t.tactics.Leaf)
	}
}

// examineRoot proves those of the root's edges that are decided at once. So a root that
// was proven as a leaf, which says nothing of its edges, is proven again.
func (t *tree[S]) examineRoot() {
	if t.tactics.Leaf == 0 {
		return
	}
	for i := range t.nodes[0].count {
		at := t.nodes[0].first + i // in edges
		if t.edges[at].child != none {
			continue
		}
		child := t.add(t.nodes[0].state.Play(t.edges[at].action))
		if t.examine(&t.nodes[child]); t.nodes[child].proven == engine.Ongoing {
			t.nodes = t.nodes[:child]
			continue
		}
		t.edges[at].child = child
		t.prove([]int32{at})
	}
}

// decide marks an edge of the root, by its place among them, as proven.
func (t *tree[S]) decide(edge int, o engine.Outcome) {
	i := t.nodes[0].first + int32(edge)
	if t.edges[i].child == none {
		t.edges[i].child = t.add(t.nodes[0].state.Play(t.edges[i].action))
	}
	t.nodes[t.edges[i].child].proven = o
	t.prove([]int32{i})
}

func (t *tree[S]) Verify(nodes int, stop func() bool) {
	if t.prover == nil || t.nodes[0].count == 0 || t.nodes[0].proven != engine.Ongoing {
		return
	}
	root := t.nodes[0].state
	me := root.ToMove()
	if t.prover.Wins(root, me, proof.Limit{Nodes: max(1, min(nodes/4, ownNodes)), Stop: stop}) {
		action := t.prover.Winning()
		t.decide(slices.IndexFunc(t.edgesOf(&t.nodes[0].stats), func(e edge) bool { return e.action == action }), engine.WonBy(me))
		return
	}
	for nodes -= t.prover.Nodes; nodes > 0 && t.nodes[0].proven == engine.Ongoing; nodes -= t.prover.Nodes {
		n := &t.nodes[0].stats
		best := t.root.choose(&t.core, n, 0)
		e := t.edgesOf(n)[best]
		if e.proven != engine.Ongoing || !t.prover.Wins(root.Play(e.action), 1-me, proof.Limit{Nodes: nodes, Stop: stop}) {
			return
		}
		t.decide(best, engine.WonBy(1-me))
	}
}
