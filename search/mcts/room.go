package mcts

import (
	"math"
	"unsafe"

	"dojo.example/engine"
)

// A room holds the lengths or capacities of a tree's slices, in elements.
type room struct{ nodes, edges, legal int }

const (
	// Every tree gets room for spareNodes extra nodes, because a simulation that is dropped may
	// already have added its node.
	spareNodes = 8

	// A tree of at most this many bytes starts small, and its slices double when they are full. A
	// larger tree reserves its memory for the worst case from the start. Most searches of self-play
	// need far less than the worst case. Reserving that much for each would cost time, because the
	// runtime clears memory before it reuses it.
	small     = 16 << 20
	growCosts = 3

	edgeBytes  = int64(unsafe.Sizeof(edge{}))
	legalBytes = int64(unsafe.Sizeof(engine.Action(0)) + unsafe.Sizeof(float32(0)))
)

// slots returns how many slots of arrays.edges the given number of edges can need, if no node has
// more than the given number of legal actions. A node first gets 4 slots for its edges. When they
// are full, the edges move to twice as many slots, and the old slots stay unused until the tree is
// copied. So one edge takes 4 slots, and five edges take 4 + 8 = 12. A tree never takes more than 4
// slots per edge, apart from the unused end of the last allocation, which the two other terms
// cover.
func slots(edges, legal int) int { return 4*edges + 2*legal + 4 }

// roomFor returns the room for the given number of nodes, if no position has more than the given
// number of legal actions. A simulation adds at most one edge, but every action of a root may get
// an edge.
func roomFor(nodes, legal int) room {
	return room{nodes, slots(nodes+legal, legal), nodes * legal}
}

// holds reports whether r is at least as large as o in every field.
func (r room) holds(o room) bool {
	return r.nodes >= o.nodes && r.edges >= o.edges && r.legal >= o.legal
}

// bytes returns the size of slices with the capacities of r. A node without its edges and actions
// takes perNode bytes. If there are more legal actions than an int32 can index, bytes returns
// math.MaxInt64, because no machine has enough memory for that many.
func (r room) bytes(perNode int64) int64 {
	if r.legal > math.MaxInt32 {
		return math.MaxInt64
	}
	return int64(r.nodes)*perNode + int64(r.edges)*edgeBytes + int64(r.legal)*legalBytes
}

// perNode returns the size in bytes of a node and its state. For a graph it adds the node's share
// of the table of transpositions.
func perNode[S any](graph bool) int64 {
	var s S
	n := int64(unsafe.Sizeof(s) + unsafe.Sizeof(node{}))
	if graph {
		n += tableBytes
	}
	return n
}

// freshRoom returns the room that a search of a new position needs for a number of visits.
func freshRoom(visits, legal int) room { return roomFor(visits+spareNodes, legal) }

// keptRoom returns the room of a search that follows a game. The tree has at most twice as many
// nodes as its root has visits, because keep drops the rest. In a graph, more nodes than that may
// remain, and there may be more edges than nodes.
func keptRoom(visits, legal int) room {
	r := roomFor(2*visits+spareNodes, legal)
	r.edges = slots(3*visits+spareNodes+2*legal, legal)
	return r
}

// treeBytes returns the most memory that a search takes with the given limits; see [Game].Bytes.
func treeBytes[S any](legal int, cfg Config, visits int, follows bool) int64 {
	fresh, kept := freshRoom(visits, legal).bytes(perNode[S](cfg.Graph)), keptRoom(visits, legal).bytes(perNode[S](cfg.Graph))
	switch {
	case kept <= small && follows:
		return 2 * growCosts * kept // doubled, because Play copies the tree
	case kept <= small:
		return growCosts * fresh
	case kept > math.MaxInt64/2:
		return math.MaxInt64
	case follows:
		return max(2*kept, 2*growCosts*small) // so that the result never falls when visits grows
	}
	return max(fresh, growCosts*small/2)
}

// makeRoom makes room for all simulations of a search with a visit limit, so that its tree cannot
// become full. If the tree below the root leaves too little room for these simulations, the search
// begins with an empty tree. So the result of a search depends on the number of visits and never on
// the memory.
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

// small reports whether the tree grows on demand; see the constant small.
func (t *tree[S]) small() bool { return t.most.bytes(perNode[S](t.cfg.Graph)) <= small }

// needed returns the room that the tree needs for the remaining simulations.
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
	// Growing s itself with append would write zeros to all of the new memory, so that the process
	// would occupy all of it immediately.
	return append(make([]E, 0, n), s...)
}

// grown returns s with capacity for n more elements.
func grown[E any](s []E, n int) []E {
	if len(s)+n <= cap(s) {
		return s
	}
	return reserve(s, grownTo(len(s), n))
}

// grownTo returns the new capacity of a full slice that has the length len and must take n more
// elements. A small slice doubles, so that it is rarely copied.
func grownTo(len, n int) int {
	if len < 1<<20 {
		return len + max(n, len)
	}
	return len + max(n, len/4)
}

// spareFor makes the spare memory large enough for the whole tree. If the memory limit does not
// allow that, spareFor releases the spare memory and returns false.
func (t *tree[S]) spareFor() bool {
	r := room{len(t.nodes), len(t.edges), len(t.legal)}
	switch {
	case t.limited && t.small():
		r = room{} // the spare memory grows on demand
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

// limit returns the memory limit in bytes: Config.Memory, or a default if Config.Memory is 0. The
// default is 512 MiB for a search without a visit limit. For other searches there is no memory
// limit.
func (t *tree[S]) limit() int64 {
	switch {
	case t.cfg.Memory > 0:
		return t.cfg.Memory
	case t.visits < math.MaxInt32:
		return math.MaxInt64 - 1
	}
	return defaultMemory
}

// taken returns the number of bytes that the tree and its spare memory take.
func (t *tree[S]) taken() int64 {
	r, spare := room{cap(t.nodes), cap(t.edges), cap(t.legal)}, t.spareRoom()
	n := perNode[S](false)
	return r.bytes(n) + spare.bytes(n) + 4*int64(len(t.table.slots))
}

// full reports whether there is too little memory for another simulation. If so, full first drops
// the nodes that are not below the root and checks again.
func (t *tree[S]) full() bool {
	if t.rootNode().count == 0 {
		return false
	}
	if !t.fits() && t.root != 0 && t.waits == none {
		t.compact()
	}
	return !t.fits()
}

// fits reports whether there is memory for one more simulation: for a new node, its legal actions,
// and the edges of another node. A slice that has to grow allocates its new memory before it
// releases the old memory.
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
