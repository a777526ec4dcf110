package alphabeta

import "dojo.example/engine"

// A table is the transposition table: it has results of earlier searches by the hash of
// the position. A slot holds one position.
type table struct {
	entries    []entry
	generation uint8 // of the running search
}

// An entry is 16 bytes.
type entry struct {
	hash       uint64
	value      int32 // the mover's; a win counts from this position
	action     engine.Action
	depth      uint8
	generation uint8 // low bits: a bound; the rest: the search that stored it
}

// Kinds of values.
const (
	none    = iota // an empty entry
	exact          // the value
	atLeast        // a lower bound
	atMost         // an upper bound
	bounds         // their number
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

// answers returns the value of a node if the entry is deep enough and its bound decides.
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

// store keeps the value of a node. A deeper entry of the same search stays, if it is of
// another position.
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

// fromRoot converts a value whose wins count from a position at a ply to one whose wins
// count from the root.
func fromRoot(value, ply int) int {
	switch {
	case value > decided:
		return value - ply
	case value < -decided:
		return value + ply
	}
	return value
}
