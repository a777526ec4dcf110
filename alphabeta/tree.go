package alphabeta

import "dojo/engine"

// historyStep is the amount of history that counts as a hundredth of a unit in the order.
const historyStep = 1 << 8

// A node is a position's place in the tree, and the window that its parent asks about.
type node struct {
	depth     int // plies to search below
	ply       int // from the root
	low, high int // the values that matter lie between, First's
}

// A frame is the values of a node as its mover sees them.
type frame struct {
	sign      int // +1: the mover is First
	low, high int
	best      int
}

func newFrame(mover engine.Player, n node) frame {
	if mover == engine.Second {
		return frame{-1, -n.high, -n.low, -infinity}
	}
	return frame{1, n.low, n.high, -infinity}
}

// below returns the node of a child. The window is from the mover's side.
func (f *frame) below(n node, depth, low, high int) node {
	if f.sign < 0 {
		low, high = -high, -low
	}
	return node{depth, n.ply + 1, low, high}
}

// value returns the value of p, whose static evaluation is given. It is exact if it lies
// in the window, and otherwise a bound.
func (s *searcher[S]) value(p *S, static int, n node) int {
	if n.depth <= 0 || n.ply >= mostDepth {
		return s.quiet(p, static, n, mostLoud)
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
	f := newFrame((*p).ToMove(), n)
	limit := f
	children := s.expand(p, static, n.ply, first)
	if s.stopped {
		return 0
	}
	bestAction := noAction
	for i := range children {
		pick(children[i:])
		c := &children[i]
		v := f.sign * s.childValue(c, i, &f, n)
		if s.stopped {
			return 0
		}
		if v > f.best {
			f.best, bestAction = v, c.action
			if n.ply == 0 && (v > limit.low || len(children) == 1) {
				s.best, s.found = c.action, true
			}
		}
		f.low = max(f.low, v)
		if f.low >= f.high {
			s.refuted(c, f.sign*(c.static-static), (*p).ToMove(), n)
			break
		}
	}
	if hashed {
		s.table.store(hash, bestAction, f.sign*f.best, n, limit)
	}
	return f.sign * f.best
}

// childValue searches the i-th child: the first with the whole window, the others with a
// null window, and again if they turn out to be better.
func (s *searcher[S]) childValue(c *child[S], i int, f *frame, n node) int {
	if c.over {
		return c.static
	}
	depth := n.depth - 1
	if i == 0 {
		return s.value(&c.state, c.static, f.below(n, depth, f.low, f.high))
	}
	reduced := depth
	if n.depth >= 3 && i >= 3 && c.promise < quietest {
		reduced--
		if i >= 8 && n.depth >= 5 {
			reduced--
		}
	}
	v := s.value(&c.state, c.static, f.below(n, reduced, f.low, f.low+1))
	if reduced < depth && f.sign*v > f.low {
		v = s.value(&c.state, c.static, f.below(n, depth, f.low, f.low+1))
	}
	if mine := f.sign * v; mine > f.low && mine < f.high && f.high > f.low+1 {
		v = s.value(&c.state, c.static, f.below(n, depth, f.low, f.high))
	}
	return v
}

// expand makes the children of p and says how promising they are: the action of
// the table, then by their evaluation, killers and history. A win ends the list.
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

// play appends the positions after actions.
func (s *searcher[S]) play(to []child[S], p *S, actions []engine.Action, ply int) []child[S] {
	for _, a := range actions {
		c := child[S]{state: (*p).Play(a), action: a}
		switch c.state.Outcome() {
		case engine.Ongoing:
			c.static = evaluate(&c.state)
		case engine.FirstWins:
			c.over, c.static = true, Win-ply-1
		case engine.SecondWins:
			c.over, c.static = true, -Win+ply+1
		default:
			c.over = true
		}
		to = append(to, c)
	}
	s.count(len(actions))
	return to
}

// count counts positions made and stops the search when the budget is used up.
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

// pick brings the most promising child to the front.
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

// refuted remembers an action that caused a cutoff. Actions that gain at once are tried
// early anyway.
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

// quiet follows loud actions until nothing is left that an evaluation ignores.
func (s *searcher[S]) quiet(p *S, static int, n node, left int) int {
	t, ok := any(p).(engine.Tactician)
	if !ok || left == 0 {
		return static
	}
	loud, settled := t.Loud(s.buffer[:0])
	s.buffer = loud
	f := newFrame((*p).ToMove(), n)
	if settled {
		f.best = f.sign * static
		f.low = max(f.low, f.best)
		if f.low >= f.high || len(loud) == 0 {
			return static
		}
	}
	at := &s.levels[n.ply]
	at.children = s.play(at.children[:0], p, loud, n.ply)
	children := at.children
	for i := range children {
		children[i].promise = f.sign * children[i].static
	}
	for i := range children {
		if s.stopped {
			return 0
		}
		pick(children[i:])
		c := &children[i]
		v := c.static
		if !c.over {
			v = s.quiet(&c.state, c.static, f.below(n, 0, f.low, f.high), left-1)
		}
		f.best = max(f.best, f.sign*v)
		if f.low = max(f.low, f.best); f.low >= f.high {
			break
		}
	}
	return f.sign * f.best
}
