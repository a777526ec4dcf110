package mcts

import (
	"math"
	"unsafe"

	"dojo.example/engine"
)

// A room says how many elements the slices of a tree have or may have.
type room struct{ nodes, edges, legal int }

const (
	// spareNodes are for simulations that were dropped after they had added their node.
	spareNodes = 8

	// small is the size up to which a tree grows by doubling, as it needs. Most searches of self-play
	// need far less than the worst case, and a reserve for it would cost time: memory that was used
	// before is cleared. A slice and its copy then take three times what the tree needs.
	small     = 16 << 20
	growCosts = 3

	edgeBytes  = int64(unsafe.Sizeof(edge{}))
	legalBytes = int64(unsafe.Sizeof(engine.Action(0)) + unsafe.Sizeof(float32(0)))
)

// slots returns the capacity that some edges need, if a node has at most legal actions. The room of a
// node's edges doubles from 4 on, and its earlier rooms stay until the next copy: one edge takes 4
// slots, five take 12, and no number takes more than 4 each. The last room may be longer than its node needs.
func slots(edges, legal int) int { return 4*edges + 2*legal + 4 }

// roomFor returns the room for some nodes with at most legal actions each. A simulation adds at most
// one edge. At a root all actions may have one.
func roomFor(nodes, legal int) room {
	return room{nodes, slots(nodes+legal, legal), nodes * legal}
}

// holds reports whether r has room for o.
func (r room) holds(o room) bool {
	return r.nodes >= o.nodes && r.edges >= o.edges && r.legal >= o.legal
}

// bytes returns what slices with this room take, of which a node takes perNode bytes itself. More
// legal actions than an index can number fit in no memory.
func (r room) bytes(perNode int64) int64 {
	if r.legal > math.MaxInt32 {
		return math.MaxInt64
	}
	return int64(r.nodes)*perNode + int64(r.edges)*edgeBytes + int64(r.legal)*legalBytes
}

// perNode returns the bytes of a node and its state, and of what it takes in the table of a graph.
func perNode[S any](graph bool) int64 {
	var s S
	n := int64(unsafe.Sizeof(s) + unsafe.Sizeof(node{}))
	if graph {
		n += tableBytes
	}
	return n
}

// freshRoom is the room that a search of a new position needs for a number of visits.
func freshRoom(visits, legal int) room { return roomFor(visits+spareNodes, legal) }

// keptRoom is the room that a search has if it follows a game. A tree that was kept has at most
// twice as many nodes as its root has visits; see keep. A graph may have more below its root, and
// more edges than nodes.
func keptRoom(visits, legal int) room {
	r := roomFor(2*visits+spareNodes, legal)
	r.edges = slots(3*visits+spareNodes+2*legal, legal)
	return r
}

// treeBytes returns the most memory that a search with these limits takes; see Game.Bytes.
func treeBytes[S any](legal int, cfg Config, visits int, follows bool) int64 {
	fresh, kept := freshRoom(visits, legal).bytes(perNode[S](cfg.Graph)), keptRoom(visits, legal).bytes(perNode[S](cfg.Graph))
	switch {
	case kept <= small && follows:
		return 2 * growCosts * kept // with the memory to which Play copies
	case kept <= small:
		return growCosts * fresh
	case kept > math.MaxInt64/2:
		return math.MaxInt64
	case follows:
		return max(2*kept, 2*growCosts*small) // no less than for fewer visits
	}
	return max(fresh, growCosts*small/2)
}

// makeRoom makes room for all simulations of a search with a limit of visits, so that it cannot be
// full. If the tree below the root does not leave them their room, they begin with an empty tree:
// what a search finds depends on the visits, and never on the memory.
func (t *tree[S]) makeRoom() {
	t.limited = t.visits < math.MaxInt32 && treeBytes[S](t.mostLegal, t.cfg, t.visits, false) <= t.limit()
	if !t.limited {
		return
	}
	t.most = keptRoom(t.visits, t.mostLegal)
	if t.root != 0 && !t.most.holds(t.needed()) {
		t.compact()
	}
	if !t.most.holds(t.needed()) {
		visits := t.visits
		t.restart(*t.rootState())
		t.visits = visits
	}
	if t.small() {
		return
	}
	r := t.needed()
	t.states, t.nodes = reserve(t.states, r.nodes), reserve(t.nodes, r.nodes)
	t.edges = reserve(t.edges, r.edges)
	t.legal, t.priors = reserve(t.legal, r.legal), reserve(t.priors, r.legal)
}

// small reports whether the tree grows as it needs; see the constant.
func (t *tree[S]) small() bool { return t.most.bytes(perNode[S](t.cfg.Graph)) <= small }

// needed is the room of the tree after the simulations that are left.
func (t *tree[S]) needed() room {
	left := max(0, t.visits-t.Visits()) + spareNodes
	edges := t.tried + left
	if !t.entered {
		edges += t.mostLegal
	}
	return room{len(t.nodes) - 1 + left, slots(edges, t.mostLegal), len(t.legal) + left*t.mostLegal}
}

// reserve returns s with a capacity of at least n.
func reserve[E any](s []E, n int) []E {
	if cap(s) >= n {
		return s
	}
	return append(make([]E, 0, n), s...) // append alone would clear, and so use, all of the new memory
}

// grown returns s with room for n more elements.
func grown[E any](s []E, n int) []E {
	if len(s)+n <= cap(s) {
		return s
	}
	return reserve(s, grownTo(len(s), n))
}

// grownTo returns the capacity of a full slice of some elements that is to have n more. A small
// slice is doubled, so that it is rarely copied.
func grownTo(len, n int) int {
	if len < 1<<20 {
		return len + max(n, len)
	}
	return len + max(n, len/4)
}

// spareFor makes the spare memory large enough for all of the tree. It returns false if the
// memory does not suffice; then there is no spare memory.
func (t *tree[S]) spareFor() bool {
	r := room{len(t.nodes), len(t.edges), len(t.legal)}
	switch {
	case t.limited && t.small():
		r = room{} // it grows as it needs
	case t.limited:
		r = t.most
	case !t.spareRoom().holds(r):
		t.spareStates, t.spare = nil, arrays{}
		if t.taken()+r.bytes(perNode[S](false)) > t.limit() {
			return false
		}
	}
	spare := &t.spare
	t.spareStates, spare.nodes = reserve(t.spareStates[:0], r.nodes), reserve(spare.nodes[:0], r.nodes)
	spare.edges = reserve(spare.edges[:0], r.edges)
	spare.legal, spare.priors = reserve(spare.legal[:0], r.legal), reserve(spare.priors[:0], r.legal)
	return true
}

func (t *tree[S]) spareRoom() room {
	return room{min(cap(t.spareStates), cap(t.spare.nodes)), cap(t.spare.edges), min(cap(t.spare.legal), cap(t.spare.priors))}
}

// limit is Config.Memory: for a search without a limit of visits there is always one.
func (t *tree[S]) limit() int64 {
	switch {
	case t.cfg.Memory > 0:
		return t.cfg.Memory
	case t.visits < math.MaxInt32:
		return math.MaxInt64 - 1
	}
	return defaultMemory
}

// taken returns the bytes that the tree and its spare memory take.
func (t *tree[S]) taken() int64 {
	r, spare := room{cap(t.nodes), cap(t.edges), cap(t.legal)}, t.spareRoom()
	n := perNode[S](false)
	return r.bytes(n) + spare.bytes(n) + 4*int64(len(t.table.slots))
}

// full reports whether the memory does not suffice for another simulation. It makes room if the tree
// has nodes that do not belong to the root.
func (t *tree[S]) full() bool {
	if t.rootNode().count == 0 {
		return false
	}
	if !t.fits() && t.root != 0 && t.waits == none {
		t.compact()
	}
	return !t.fits()
}

// fits reports whether there is memory for one more simulation: a new node, its legal actions, and
// the edges of another node. A slice that has to grow for it takes its new memory before it gives
// back the old one.
func (t *tree[S]) fits() bool {
	var more int64
	n := t.mostLegal
	if len(t.nodes) == cap(t.nodes) || len(t.states) == cap(t.states) {
		more += int64(grownTo(len(t.nodes), 1)) * perNode[S](false)
	}
	if len(t.edges)+n > cap(t.edges) {
		more += int64(grownTo(len(t.edges), n)) * edgeBytes
	}
	if len(t.legal)+n > cap(t.legal) || len(t.priors)+n > cap(t.priors) {
		more += int64(grownTo(len(t.legal), n)) * legalBytes
	}
	if t.cfg.Graph && t.table.full() {
		more += 8 * int64(len(t.table.slots))
	}
	return (more == 0 || t.taken()+more <= t.limit()) && len(t.legal)+n <= math.MaxInt32
}
