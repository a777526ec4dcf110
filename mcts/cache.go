package mcts

import (
	"hash/maphash"
)

// A cache remembers evaluations by state: transpositions, and positions that
// several games of a worker share, are not asked for again. It is bounded, of
// one network, and changes no result, for the same question has the same
// answer. The searches that share it belong to one goroutine.
//
//	slots  [ state, value, where its priors are | ... ]   one place a hash
//	priors [ ... ring: the oldest are overwritten ... ]
type cache[S comparable] struct {
	seed   maphash.Seed
	slots  []slot[S]
	priors []float32
	next   int // where in the ring, counted from the beginning of time
}

type slot[S comparable] struct {
	state S
	value float32 // for the player to move
	count int32   // of priors; 0 in an empty slot
	first int     // the first of them, as next counts
}

// priorsEach is the room in the ring for each slot, on average.
const priorsEach = 32

func newCache[S comparable](slots int) *cache[S] {
	if slots == 0 {
		return nil
	}
	return &cache[S]{seed: maphash.MakeSeed(), slots: make([]slot[S], slots), priors: make([]float32, priorsEach*slots)}
}

func (c *cache[S]) slot(s S) *slot[S] {
	return &c.slots[maphash.Comparable(c.seed, s)%uint64(len(c.slots))]
}

// find returns the priors and the value of a state.
func (c *cache[S]) find(s S) (priors []float32, value float32, ok bool) {
	e := c.slot(s)
	if e.count == 0 || e.state != s || c.next-e.first > len(c.priors) {
		return nil, 0, false
	}
	at := e.first % len(c.priors)
	return c.priors[at : at+int(e.count)], e.value, true
}

// keep remembers the evaluation of a state; edges hold its priors.
func (c *cache[S]) keep(s S, edges []edge, value float32) {
	if len(edges) > len(c.priors) {
		return
	}
	if left := len(c.priors) - c.next%len(c.priors); left < len(edges) {
		c.next += left // the priors of a slot lie together
	}
	*c.slot(s) = slot[S]{s, value, int32(len(edges)), c.next}
	at := c.next % len(c.priors)
	for i := range edges {
		c.priors[at+i] = edges[i].prior
	}
	c.next += len(edges)
}
