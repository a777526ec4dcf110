package mcts

import "hash/maphash"

// transpositions is a hash table from states to their nodes. It keeps the indices of the nodes,
// whose states stand in the tree, so that a lookup compares states and the hash decides nothing
// but the speed. At least half of the slots are empty.
type transpositions[S comparable] struct {
	slots []int32 // index of a node plus 1; 0 if empty
	used  int
}

// tableBytes is the most that a node takes in a table while that grows: four new slots and two old
// ones.
const tableBytes = 24

var hashSeed = maphash.MakeSeed()

// reset empties the table and adds the given states.
func (t *transpositions[S]) reset(states []S) {
	clear(t.slots)
	t.used = 0
	for i := range states {
		t.find(states[:i+1])
	}
}

// full reports whether the table grows when it is given another node.
func (t *transpositions[S]) full() bool { return 2*(t.used+1) > len(t.slots) }

// find returns the index of the first of the states that equals the last one. All of them but
// the last are in the table; that is added if it is new.
func (t *transpositions[S]) find(states []S) int32 {
	if t.full() {
		t.slots = make([]int32, max(1024, 2*len(t.slots)))
		t.reset(states[:len(states)-1])
	}
	last := int32(len(states) - 1)
	mask := uint64(len(t.slots) - 1)
	for h := maphash.Comparable(hashSeed, states[last]); ; h++ {
		switch at := t.slots[h&mask] - 1; {
		case at < 0:
			t.slots[h&mask] = last + 1
			t.used++
			return last
		case states[at] == states[last]:
			return at
		}
	}
}
