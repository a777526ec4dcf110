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

// examineRoot proves those of the root's edges that are decided at once, and the root if
// they decide it. A root that was proven as a leaf has no proven edge to choose otherwise.
func (t *tree[S]) examineRoot() {
	if t.tactics.Leaf == 0 {
		return
	}
	root := &t.nodes[0]
	for i := range t.edgesOf(&root.stats) {
		if e := &t.edgesOf(&root.stats)[i]; e.proven == engine.Ongoing {
			t.scratch.state = root.state.Play(e.action)
			t.scratch.proven = t.scratch.state.Outcome()
			t.examine(&t.scratch)
			e.proven = t.scratch.proven
		}
	}
	root.proven = t.proof(&root.stats)
}

func (t *tree[S]) Verify(nodes int, stop func() bool) {
	if t.prover == nil || t.nodes[0].count == 0 || t.nodes[0].proven != engine.Ongoing {
		return
	}
	n := &t.nodes[0]
	me := n.state.ToMove()
	decide := func(e *edge, winner engine.Player) {
		e.proven = engine.WonBy(winner)
		n.proven = t.proof(&n.stats)
	}
	if t.prover.Wins(n.state, me, proof.Limit{Nodes: max(1, min(nodes/4, ownNodes)), Stop: stop}) {
		action, edges := t.prover.Winning(), t.edgesOf(&n.stats)
		decide(&edges[slices.IndexFunc(edges, func(e edge) bool { return e.action == action })], me)
	}
	for nodes -= t.prover.Nodes; nodes > 0 && n.proven == engine.Ongoing; nodes -= t.prover.Nodes {
		e := &t.edgesOf(&n.stats)[t.root.choose(&t.core, &n.stats, 0)]
		if e.proven != engine.Ongoing || !t.prover.Wins(n.state.Play(e.action), 1-me, proof.Limit{Nodes: nodes, Stop: stop}) {
			return
		}
		decide(e, 1-me)
	}
}
