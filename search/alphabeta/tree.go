package alphabeta

import "dojo.example/engine"

// historyStep is the amount of history that weighs as much as a hundredth of a piece or point when
// actions are ordered.
const historyStep = 1 << 8

// A node describes a position's place in the tree. Its window is the range in which its parent
// needs the exact value.
type node struct {
	depth     int // plies still to search below the node; 0 or less: quiescence search
	ply       int // number of plies from the root
	low, high int // window for the mover's value
}

// value returns the value of p for the mover. The parameter static must be the static evaluation of
// p. The value is exact if it lies in the window of n, and a bound otherwise.
func (s *searcher[S]) value(p *S, static int, n node) int {
	if n.depth <= 0 || n.ply >= mostDepth {
		return s.quiet(p, static, n)
	}
	hash, hashed := uint64(0), false
	first := noAction
	if h, ok := any(p).(engine.Hasher); ok {
		hash, hashed = h.Hash(), true
		e, known := s.table.find(hash)
		if known {
			first = e.action
			if v, ok := e.answers(n); ok && n.ply > 0 {
				return v
			}
		}
	}
	mover := (*p).ToMove()
	children := s.expand(p, static, n.ply, first)
	if s.stopped {
		return 0
	}
	best, bestAction, at := -infinity, noAction, n
	for i := range children {
		pick(children[i:])
		c := &children[i]
		v := s.childValue(c, i, mover, at)
		if s.stopped {
			return 0
		}
		if v > best {
			best, bestAction = v, c.action
			if n.ply == 0 && (v > n.low || len(children) == 1) {
				s.best, s.found = c.action, true
			}
		}
		if at.low = max(at.low, v); at.low >= n.high {
			s.refuted(c, (c.static-static)*int(mover.Sign()), mover, n)
			break
		}
	}
	if hashed {
		s.table.store(hash, bestAction, best, n)
	}
	return best
}

// childValue returns the value of c, the child of n with the index i, for the player to move at n.
// It searches the first child with the whole window and the others with a null window. If a child
// turns out to be better, childValue searches it again.
func (s *searcher[S]) childValue(c *child[S], i int, mover engine.Player, n node) int {
	if c.over {
		return c.static * int(mover.Sign())
	}
	depth := n.depth - 1
	if i == 0 {
		return s.below(c, mover, node{depth, n.ply + 1, n.low, n.high})
	}
	reduced := depth
	if n.depth >= 3 && i >= 3 && c.promise < quietest {
		reduced--
		if i >= 8 && n.depth >= 5 {
			reduced--
		}
	}
	v := s.below(c, mover, node{reduced, n.ply + 1, n.low, n.low + 1})
	if reduced < depth && v > n.low {
		v = s.below(c, mover, node{depth, n.ply + 1, n.low, n.low + 1})
	}
	if v > n.low && v < n.high && n.high > n.low+1 {
		v = s.below(c, mover, node{depth, n.ply + 1, n.low, n.high})
	}
	return v
}

// below returns the value of a child for the player to move at its parent. n is the child's node,
// but its window is from the view of the player to move at the parent.
func (s *searcher[S]) below(c *child[S], mover engine.Player, n node) int {
	if c.state.ToMove() == mover {
		return s.value(&c.state, c.static, n)
	}
	n.low, n.high = -n.high, -n.low
	return -s.value(&c.state, c.static, n)
}

// expand creates the children of p and sets their promise, which determines their order. The action
// from the transposition table comes first. The order of the other actions depends on static
// evaluation, killers and history. If an action wins the game, expand returns only its child.
func (s *searcher[S]) expand(p *S, static, ply int, first engine.Action) []child[S] {
	s.buffer = s.actions(p, s.buffer[:0])
	at := &s.levels[ply]
	mover := (*p).ToMove()
	sign := int(mover.Sign())
	at.children = s.play(at.children[:0], p, s.buffer, ply)
	for i := range at.children {
		c := &at.children[i]
		c.promise = sign * (c.static - static)
		switch {
		case c.over && c.promise > decided/2:
			at.children[0] = *c
			return at.children[:1]
		case c.action == first:
			c.promise += Win
		case c.action == at.killers[0], c.action == at.killers[1]:
			c.promise += quietest
		}
		c.promise += int(s.history[mover][c.action] / historyStep)
	}
	return at.children
}

// play appends a child of p for each of the given actions and returns the extended slice.
func (s *searcher[S]) play(to []child[S], p *S, actions []engine.Action, ply int) []child[S] {
	for _, a := range actions {
		c := child[S]{state: (*p).Play(a), action: a}
		if o := c.state.Outcome(); o == engine.Ongoing {
			c.static = engine.Estimate(&c.state)
		} else {
			c.over, c.static = true, int(o.Value())*(Win-ply-1)
		}
		to = append(to, c)
	}
	s.count(len(actions))
	return to
}

// count adds n generated positions to the total and stops the search when a limit is reached.
func (s *searcher[S]) count(n int) {
	s.nodes += n
	if s.limit.Nodes > 0 && s.nodes >= s.limit.Nodes {
		s.stopped = true
	}
	if s.limit.Stop != nil && s.nodes-s.asked >= askEvery {
		s.asked = s.nodes
		s.stopped = s.stopped || s.limit.Stop()
	}
}

// pick moves the most promising child to the front.
func pick[S any](children []child[S]) {
	best := 0
	for i := range children {
		if children[i].promise > children[best].promise {
			best = i
		}
	}
	if best > 0 {
		children[0], children[best] = children[best], children[0]
	}
}

// refuted records a quiet action that caused a cutoff, so that the search tries it early in similar
// positions. It ignores actions with an immediate gain, because the search tries these early
// anyway.
func (s *searcher[S]) refuted(c *child[S], gain int, mover engine.Player, n node) {
	if gain >= quietest {
		return
	}
	if at := &s.levels[n.ply]; at.killers[0] != c.action {
		at.killers[1], at.killers[0] = at.killers[0], c.action
	}
	h := s.history[mover]
	if h[c.action] += int32(n.depth * n.depth); h[c.action] > quietest*historyStep {
		for i := range h {
			h[i] /= 2
		}
	}
}

// quiet is the quiescence search: it follows loud actions until the position is calm enough for its
// static evaluation. It returns the value of p for the player to move.
func (s *searcher[S]) quiet(p *S, static int, n node) int {
	mover := (*p).ToMove()
	sign := int(mover.Sign())
	t, ok := any(p).(engine.Tactician)
	if !ok || n.depth == -mostLoud {
		return sign * static
	}
	loud, settled := t.Loud(s.buffer[:0])
	s.buffer = loud
	best := -infinity
	if settled {
		best = sign * static
		n.low = max(n.low, best)
		if n.low >= n.high || len(loud) == 0 {
			return best
		}
	}
	at := &s.levels[n.ply]
	at.children = s.play(at.children[:0], p, loud, n.ply)
	children := at.children
	for i := range children {
		children[i].promise = sign * children[i].static
	}
	for i := range children {
		if s.stopped {
			return 0
		}
		pick(children[i:])
		c := &children[i]
		v := sign * c.static
		if !c.over {
			v = s.below(c, mover, node{min(n.depth, 0) - 1, n.ply + 1, n.low, n.high})
		}
		best = max(best, v)
		if n.low = max(n.low, best); n.low >= n.high {
			break
		}
	}
	return best
}
