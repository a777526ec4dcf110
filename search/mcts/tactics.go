package mcts

import "dojo.example/engine"

// Tactics finds forced wins by the rules, without the network. The zero value finds nothing.
type Tactics struct {
	// Leaf is the number of turns that the search examines at every new node. With 1 it finds an
	// immediate win of the player to move. With 2 it also finds out whether the opponent threatens
	// to win and the player to move cannot prevent it. In both cases the node is proven and needs
	// no evaluation. Leaf has no effect in games whose states do not implement engine.Striker.
	Leaf int `yaml:"leaf"`

	// Tables makes Prepare build the endgame table of the game (engine.Rules.Endings). A new node
	// that is in the table is proven, and if the root is in the table, the search plays the move
	// that the table gives. Tables has no effect in a game without such tables.
	Tables bool `yaml:"tables,omitempty"`
}

// longestTurn is the largest number of actions of one turn that the function helpless examines.
const longestTurn = 16

// A reply holds the scratch buffers of the function helpless for one action of a turn: the first,
// the second, and so on.
type reply[S any] struct {
	legal []engine.Action
	next  S
}

func (t *tree[S]) Prepare(stop func() bool) bool {
	s := t.rootState()
	if !t.cfg.Tactics.Tables || t.tabulate == nil || t.endings != nil && t.endings.Fit(s) {
		return true
	}
	t.endings = t.tabulate(*s, stop)
	t.findTabled()
	return t.endings != nil
}

// examine returns the outcome of a new position s, or Ongoing if it is unknown. The outcome is
// known if the game is over (then the caller passes its outcome), if tactics find a forced result,
// or if the endgame table contains s.
func (t *tree[S]) examine(s *S, outcome engine.Outcome) engine.Outcome {
	if t.leaf > 0 && outcome == engine.Ongoing {
		outcome = t.short(s, t.leaf)
	}
	if t.endings != nil && outcome == engine.Ongoing {
		if o, _, ok := t.endings.Find(s); ok {
			return o
		}
	}
	return outcome
}

// examineRoot looks for root actions whose outcome is known immediately, and marks their edges as
// proven. If these edges decide the root, it marks the root as proven too. This is also necessary
// if tactics have already proven the root when it was a leaf: they did not say which action wins.
func (t *tree[S]) examineRoot() {
	if t.leaf == 0 && t.endings == nil {
		return
	}
	root := t.rootNode()
	for i, o := range t.optionsOf(root) {
		if o.proven != engine.Ongoing {
			continue
		}
		t.scratch = (*t.rootState()).Play(o.action)
		outcome := t.examine(&t.scratch, t.scratch.Outcome())
		if outcome == engine.Ongoing {
			continue
		}
		e := &t.edges[t.edgeOf(root, int32(i))]
		e.proven = outcome
		if outcome == engine.WonBy(1-mover(root.sign)) {
			t.visit(root, e)
		}
	}
	root.proven = t.proof(root)
}

// findTabled finds the root action that the endgame table plays: the one that wins soonest or loses
// latest. There is none if the root is not in the table or is a draw there. It would not be enough
// to follow any edge that is proven to win: such an edge need not bring the win nearer, so the game
// could go on forever.
func (t *tree[S]) findTabled() {
	t.tabled = none
	if t.endings == nil {
		return
	}
	root := t.rootNode()
	outcome, left, ok := t.endings.Find(t.rootState())
	if !ok || outcome == engine.Draw {
		return
	}
	for i, a := range t.legal[root.first:][:root.count] {
		t.scratch = (*t.rootState()).Play(a)
		o, plies, found := t.endings.Find(&t.scratch)
		if !found {
			o, plies = t.scratch.Outcome(), 0
		}
		if o == outcome && plies == left-1 {
			t.tabled = int32(i)
			return
		}
	}
}

// short looks for a forced win in s, where the game is not over. If the player to move can win in
// this turn, short returns a win of that player. With turns = 2 it also returns a win of the
// opponent, if the player to move cannot prevent the opponent from winning in the next turn.
// Otherwise it returns Ongoing.
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

// helpless reports whether the opponent can win immediately, however mover, the player to move,
// ends the turn. depth is the number of actions of the turn that are already played.
func (t *tree[S]) helpless(s *S, mover engine.Player, depth int) bool {
	at := &t.replies[depth]
	at.legal = (*s).Legal(at.legal[:0])
	goesOn := false
	for _, a := range at.legal {
		at.next = (*s).Play(a)
		if at.next.Outcome() != engine.Ongoing || !strikes(&at.next, 1-mover) {
			return false // this action ends the threat, even if it does not end the turn
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
