package mcts

import "dojo/engine"

// Tactics find short forced wins by the rules alone. The zero value has none.
type Tactics struct {
	// Leaf is how many turns every new node is looked at: 1 finds a win at hand of
	// the player to move, 2 also a threat of the other's that cannot be met. A node
	// so decided is proven and asks no network. It does nothing in games whose states
	// are no engine.Striker.
	Leaf int `yaml:"leaf"`
}

// longestTurn is the most actions of a turn in which a threat is known to stand.
const longestTurn = 16

// A reply is the memory in which helpless looks at one action of a turn.
type reply[S any] struct {
	legal []engine.Action
	next  S
}

// withTactics prepares a new tree for the tactics of its configuration.
func (t *tree[S]) withTactics() *tree[S] {
	var s S
	if _, ok := any(&s).(engine.Striker); ok && t.cfg.Tactics.Leaf > 0 {
		t.leaf, t.replies = t.cfg.Tactics.Leaf, make([]reply[S], longestTurn)
	}
	return t
}

// examine proves a new node if a win is at hand there.
func (t *tree[S]) examine(n *node[S]) {
	if t.leaf > 0 && n.proven == engine.Ongoing {
		n.proven = t.short(&n.state, t.leaf)
	}
}

// examineRoot proves those of the root's edges that are decided at once, and the root if
// they decide it. A root that was proven as a leaf has no proven edge to choose otherwise.
func (t *tree[S]) examineRoot() {
	if t.leaf == 0 {
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

// short returns who wins s, in which the game is not over, within one turn of the mover,
// or, if the mover cannot meet a threat, within a turn of each, as far as turns says (1 or
// 2); Ongoing if that decides nothing.
func (t *tree[S]) short(s *S, turns int) engine.Outcome {
	mover := (*s).ToMove()
	switch {
	case strikes(s, mover):
		return engine.WonBy(mover)
	case turns >= 2 && strikes(s, 1-mover) && t.helpless(s, mover, 0):
		return engine.WonBy(1 - mover)
	}
	return engine.Ongoing
}

// helpless reports whether the other player wins at once however mover ends his turn, of
// which depth actions are played.
func (t *tree[S]) helpless(s *S, mover engine.Player, depth int) bool {
	at := &t.replies[depth]
	at.legal = (*s).Legal(at.legal[:0])
	goesOn := false
	for _, a := range at.legal {
		at.next = (*s).Play(a)
		if at.next.Outcome() != engine.Ongoing || !strikes(&at.next, 1-mover) {
			return false // also where his turn goes on: he need not open himself to a threat
		}
		goesOn = goesOn || at.next.ToMove() == mover
	}
	if goesOn && depth+1 == len(t.replies) {
		return false
	}
	for i := 0; goesOn && i < len(at.legal); i++ {
		at.next = (*s).Play(at.legal[i])
		if at.next.ToMove() == mover && !t.helpless(&at.next, mover, depth+1) {
			return false
		}
	}
	return true
}

func strikes[S any](s *S, p engine.Player) bool { return any(s).(engine.Striker).Strikes(p) }
