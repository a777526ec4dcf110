package alphabeta

import "dojo.example/engine"

// A table is a transposition table: it finds the results of earlier searches by the hash of the
// position. Each slot holds one position.
type table struct {
	entries    []entry
	generation uint8 // number of searches so far, modulo 256
}

// An entry holds the result for one position, in 16 bytes.
type entry struct {
	hash   uint64
	value  int32 // value for the mover; in a win, plies are counted from this position
	action engine.Action
	depth  uint8
	// generation holds the kind of the value and the generation of the search that stored the
	// entry, as kind + bounds*generation.
	generation uint8
}

// The kinds of values in an entry.
const (
	none    = iota // the entry is empty
	exact          // the exact value
	atLeast        // a lower bound
	atMost         // an upper bound
	bounds         // number of kinds
)

func (t *table) reset() {
	if t.entries == nil {
		t.entries = make([]entry, slots)
	}
	clear(t.entries)
	t.generation = 0
}

func (t *table) at(hash uint64) *entry { return &t.entries[hash%slots] }

func (t *table) find(hash uint64) (e *entry, known bool) {
	e = t.at(hash)
	return e, e.hash == hash && e.bound() != none
}

func (e *entry) bound() uint8 { return e.generation % bounds }

// answers returns the value of node n, if the entry can replace the search of n. The entry must be
// deep enough. Its value must be exact, a lower bound that is not below the window of n, or an
// upper bound that is not above it.
func (e *entry) answers(n node) (value int, ok bool) {
	if int(e.depth) < n.depth {
		return 0, false
	}
	value = fromRoot(int(e.value), n.ply)
	switch e.bound() {
	case exact:
		return value, true
	case atLeast:
		return value, value >= n.high
	}
	return value, value <= n.low
}

// store saves the value of node n. If the slot holds another position that was searched deeper in
// the same search, store keeps the old entry.
func (t *table) store(hash uint64, action engine.Action, value int, n node) {
	e := t.at(hash)
	now := t.generation * bounds
	if e.hash != hash && e.generation-e.bound() == now && int(e.depth) > n.depth {
		return
	}
	bound := uint8(exact)
	switch {
	case value <= n.low:
		bound = atMost
	case value >= n.high:
		bound = atLeast
	}
	*e = entry{hash, int32(fromRoot(value, -n.ply)), action, uint8(n.depth), now + bound}
}

// fromRoot converts the value of a position at the distance ply from the root. The value of a
// forced win or loss depends on the number of plies to the end of the game. The parameter value
// counts these plies from the position; the result counts them from the root. fromRoot returns
// other values unchanged.
func fromRoot(value, ply int) int {
	switch {
	case value > decided:
		return value - ply
	case value < -decided:
		return value + ply
	}
	return value
}
