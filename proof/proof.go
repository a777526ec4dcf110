// Package proof answers one question by search: can a player force a win? It uses the
// rules alone, without any evaluation, and a draw counts as not won. So it sees a forced
// win many plies deep where little else can be played, and says nothing of quiet positions.
//
// The player who is asked about is the attacker, the other one the defender. [Search.Wins]
// is depth-first proof-number search (df-pn; Nagai 2002). Each node has two numbers: how
// many open positions must at least be won for the attacker to prove the node (its proof
// number), and how many must be lost to disprove it (its disproof number). Where the
// attacker moves, one proven child is enough, so that the proof number is the least of the
// children's; where the defender moves all are needed, and it is their sum. The search
// goes where the fewest positions are needed. Turns need not alternate.
//
// A table keeps the numbers of positions by their 64-bit hashes. What is proven is won for
// certain, but for two positions with one hash. A line that repeats a position, or is
// longer than 100 plies, counts as not won: a win may be missed, never invented.
//
// [Search.Short] looks for wins within two turns and needs no table. It takes nanoseconds.
package proof

import (
	"math"
	"slices"

	"dojo/engine"
)

const (
	deepest  = 100     // plies of a line
	slots    = 1 << 14 // of the table: 256 KiB
	askEvery = 1 << 9  // positions after which Limit.Stop is asked, about 0.1 ms
)

// Limit ends a search. Its zero value is no limit.
type Limit struct {
	Nodes int         // positions made, of which there may be a few more; 0: any number
	Stop  func() bool // asked every few hundred positions; nil: never
}

// Search answers questions about positions of one game. One goroutine uses it.
type Search[S engine.State[S]] struct {
	// Nodes is the number of positions that the last search has made.
	Nodes int

	table  table
	levels []level[S] // by ply

	// Of the search that runs.
	root     S
	attacker engine.Player
	limit    Limit
	asked    int // Nodes when Stop was asked last
	stopped  bool
}

// A level is the memory of one ply of the line that is searched.
type level[S any] struct {
	key      uint64 // of the position; 0 if it is not on the line
	legal    []engine.Action
	children []child[S] // in the order of legal
}

// A child is a position after an action.
type child[S any] struct {
	state S
	key   uint64
	left  int // actions until the game is drawn; see engine.Reducer
	numbers
}

// New returns a search for positions of a game, whose states are an [engine.Hasher].
func New[S engine.State[S]]() *Search[S] {
	return &Search[S]{levels: make([]level[S], deepest+1)}
}

// Reset forgets all positions: the answers that follow depend on what is asked from here
// on. Without it a search goes on with what it learned, also of other positions.
func (p *Search[S]) Reset() { p.table.reset() }

// Wins reports whether the search has proven that player who can force a win from s. The
// same questions with the same limits of nodes, asked in the same order since Reset, have
// the same answers.
func (p *Search[S]) Wins(s S, who engine.Player, l Limit) bool {
	p.attacker, p.limit, p.Nodes, p.asked, p.stopped = who, l, 0, 0, false
	if o := s.Outcome(); o != engine.Ongoing {
		return o == engine.WonBy(who)
	}
	p.root = s
	key, left := p.key(&p.root)
	return p.search(&p.root, key, left, numbers{pn: infinite, dn: infinite}, 0).pn == 0
}

// Winning is an action that keeps the win, after Wins was true for the player to move.
func (p *Search[S]) Winning() engine.Action {
	root := &p.levels[0]
	return root.legal[slices.IndexFunc(root.children, func(c child[S]) bool { return c.pn == 0 })]
}

// key is what the table knows a position by: who attacks is part of it.
func (p *Search[S]) key(s *S) (key uint64, left int) {
	left = math.MaxInt
	switch r := any(s).(type) {
	case engine.Reducer:
		key, left = r.Reduce()
	case engine.Hasher:
		key = r.Hash()
	}
	if (*s).ToMove() == p.attacker {
		key = ^key
	}
	return max(key, 1), left
}

// search searches a position until one of its numbers reaches its limit. It returns the
// numbers, which the table has too.
func (p *Search[S]) search(s *S, key uint64, left int, limit numbers, depth int) (n numbers) {
	if depth == deepest {
		return disproven
	}
	before := p.Nodes
	attacks := (*s).ToMove() == p.attacker
	at := &p.levels[depth]
	at.key = key
	n, decided := p.expand(s, depth, attacks)
	for !decided {
		var best int
		var second uint32
		n, best, second = combine(at.children, attacks)
		if n.pn == 0 || n.dn == 0 || n.pn >= limit.pn || n.dn >= limit.dn || p.stopped {
			break
		}
		c := &at.children[best]
		c.numbers = p.search(&c.state, c.key, c.left, c.limit(n, limit, second, attacks), depth+1)
	}
	at.key = 0
	p.table.keep(key, n, p.Nodes-before)
	return n
}

// expand makes the children of a position. It is decided if one of them decides it.
func (p *Search[S]) expand(s *S, depth int, attacks bool) (n numbers, decided bool) {
	at := &p.levels[depth]
	at.legal = (*s).Legal(at.legal[:0])
	at.children = slices.Grow(at.children[:0], len(at.legal))
	for _, a := range at.legal {
		at.children = append(at.children, child[S]{state: (*s).Play(a)})
		c := &at.children[len(at.children)-1]
		p.Nodes++
		switch c.state.Outcome() {
		case engine.Ongoing:
			p.judge(c, depth)
		case engine.WonBy(p.attacker):
			c.numbers = proven
		default:
			c.numbers = disproven
		}
		switch {
		case attacks && c.pn == 0:
			return numbers{0, infinite, c.plies + 1}, true
		case !attacks && c.dn == 0:
			return disproven, true
		}
	}
	p.stopped = p.stopped || p.limit.Nodes > 0 && p.Nodes >= p.limit.Nodes
	if p.limit.Stop != nil && p.Nodes-p.asked >= askEvery {
		p.asked = p.Nodes
		p.stopped = p.stopped || p.limit.Stop()
	}
	return n, false
}

// judge gives a new child its numbers, those of the table if that knows it.
func (p *Search[S]) judge(c *child[S], depth int) {
	mover := c.state.ToMove()
	c.numbers = unknown
	if striker, ok := any(&c.state).(engine.Striker); ok {
		switch {
		case striker.Strikes(mover) && mover == p.attacker:
			c.numbers = numbers{0, infinite, 1}
			return
		case striker.Strikes(mover):
			c.numbers = disproven
			return
		}
		c.numbers = threatened(mover == p.attacker, striker.Strikes(1-mover))
	}
	c.key, c.left = p.key(&c.state)
	for i := range p.levels[:depth+1] {
		if p.levels[i].key == c.key {
			c.numbers = disproven // for now: a win does not repeat positions
			return
		}
	}
	if n, ok := p.table.find(c.key, c.left); ok {
		c.numbers = n
	}
}
