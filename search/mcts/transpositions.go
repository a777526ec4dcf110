package mcts

import "hash/maphash"

// transpositions is a hash table from states to the indices of their nodes. The states themselves
// are in the tree. A lookup compares states, so the hash affects only the speed. At least half of
// the slots are empty.
type transpositions[S comparable] struct {
	slots []int32 // index of a node plus 1; 0 if the slot is empty
	used  int
}

// tableBytes is the largest number of bytes per node that a table takes while it grows: four new
// slots and two old slots of 4 bytes each.
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

// full reports whether the table must grow to take another node.
func (t *transpositions[S]) full() bool { return 2*(t.used+1) > len(t.slots) }

// find looks for a state equal to the last of the given states and returns its index. All states
// except the last one must already be in the table. If no other state is equal, find adds the last
// state and returns its index.
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
