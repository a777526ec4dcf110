package mcts

import (
	"hash/maphash"
)

// A cache remembers the evaluations of states, so that a position that is reached by
// another path, or in another game of the same worker, is not evaluated again. It
// changes no result, because the same network always gives a state the same
// evaluation. The searches that share it belong to one goroutine.
//
// Its size is fixed. A state has one slot, by its hash, and takes it from whatever
// state was there before. Priors are kept in a ring, where the newest overwrite the
// oldest; a slot whose priors are overwritten is worthless.
//
//	slots  [ state, value, first, count | ... ]
//	priors [ ... first ... first+count-1 ... ]
type cache[S comparable] struct {
	seed    maphash.Seed
	size    int // number of slots, once there are any
	slots   []slot[S]
	priors  []float32
	written int // number of priors ever written, or skipped: the next one goes to priors[written % len(priors)]
}

type slot[S comparable] struct {
	state S
	value float32 // for the player to move
	count int32   // number of its priors; 0 if the slot is empty
	first int     // cache.written before its priors were: they begin at priors[first % len(priors)]
}

// priorsEach is the number of priors in the ring for each slot.
const priorsEach = 32

func newCache[S comparable](slots int) *cache[S] {
	if slots == 0 {
		return nil
	}
	return &cache[S]{seed: maphash.MakeSeed(), size: slots}
}

// slot returns the slot of a state, which may hold another.
func (c *cache[S]) slot(s S) *slot[S] {
	return &c.slots[maphash.Comparable(c.seed, s)%uint64(len(c.slots))]
}

// find returns the priors and the value of a state, if it remembers them.
func (c *cache[S]) find(s S) (priors []float32, value float32, ok bool) {
	if c.slots == nil {
		return nil, 0, false
	}
	e := c.slot(s)
	if e.count == 0 || e.state != s || c.written-e.first > len(c.priors) {
		return nil, 0, false
	}
	at := e.first % len(c.priors)
	return c.priors[at : at+int(e.count)], e.value, true
}

// keep remembers the evaluation of a state: its value, and the priors of its actions.
func (c *cache[S]) keep(s S, priors []float32, value float32) {
	if c.slots == nil {
		c.slots, c.priors = make([]slot[S], c.size), make([]float32, priorsEach*c.size)
	}
	if len(priors) > len(c.priors) {
		return
	}
	if left := len(c.priors) - c.written%len(c.priors); left < len(priors) {
		c.written += left // the priors of a slot are not split: begin again at the start of the ring
	}
	*c.slot(s) = slot[S]{s, value, int32(len(priors)), c.written}
	copy(c.priors[c.written%len(c.priors):], priors)
	c.written += len(priors)
}
