// Package solve finds exact values of positions under best play of both players. A [Table] holds
// the values of all positions of Onitama with few pieces. They are found by retrograde analysis,
// which works backwards from the ends of games. A [Prover] proves the value of a position of any
// game by a bounded search. A [Line] is a solved position in the format that package arena reads.
package solve

import (
	"context"
	"errors"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
)

// Table holds the value of every position in a set of endings of Onitama. A position is a placement
// of the pieces together with a deal of the cards. For each placement the table has two words, in
// which bit d belongs to deal d. It also has the number of plies to the end for each deal:
//
//	won    [ 30 bits | 30 bits | ... ]    the mover wins
//	lost   [ 30 bits | 30 bits | ... ]    the mover loses
//	plies  [ 30 bytes | 30 bytes | ... ]  0: drawn, or not known yet
//
// The table is solved in passes. Pass n finds the positions that end in n plies. If n is odd, these
// are the positions with an action that leads to a position lost in n-1 plies. If n is even, these
// are the positions whose actions all lead to won positions. A pass looks only at the positions
// that come one ply before a position found by the previous pass.
type Table struct {
	endings *onitama.Endings
	won     []uint32
	lost    []uint32
	plies   []uint8

	// dirty has a bit for each placement that the current pass looks at. next has a bit for each
	// placement of the next pass; workers set these bits atomically.
	dirty, next []uint64

	memo steps // cache; filled while a small table is being solved
}

// steps caches the results of onitama.Endings.Successors for every placement.
type steps struct {
	all   []onitama.Step
	first []uint32 // the steps of placement p are all[first[p]:first[p+1]]
	wins  []uint8  // for each placement: the cards that win immediately, as bits
}

// Solve caches the steps (the moves of the pieces) if the table has at most mostRemembered
// placements. The cache makes Solve almost twice as fast. On average a placement has usualSteps
// steps.
const (
	mostRemembered = 1 << 20
	usualSteps     = 22
)

const everyDeal = 1<<onitama.Deals - 1

// A worker takes this many words of dirty at a time, which is a few milliseconds of work.
const chunk = 16

// TableBytes returns the number of bytes that a table takes while it is being solved.
func TableBytes(e *onitama.Endings) int64 {
	n := int64(e.Placements())
	bytes := n*(2*4+onitama.Deals) + 2*8*((n+63)/64)
	if n <= mostRemembered {
		bytes += n * (usualSteps*int64(unsafe.Sizeof(onitama.Step{})) + 4 + 1)
	}
	return bytes
}

// NewTable allocates a table. Call Solve to fill it.
func NewTable(e *onitama.Endings) *Table {
	n := e.Placements()
	t := &Table{
		endings: e,
		won:     make([]uint32, n), lost: make([]uint32, n), plies: make([]uint8, n*onitama.Deals),
		dirty: make([]uint64, (n+63)/64), next: make([]uint64, (n+63)/64),
	}
	for i := range n {
		t.dirty[i/64] |= 1 << (i % 64)
	}
	return t
}

// Solve fills the table with the given number of goroutines. If stop returns true, Solve gives up
// and returns context.Canceled. After each pass it calls progress, unless progress is nil, with the
// number of plies of the pass and the number of positions that end in that many plies.
func (t *Table) Solve(stop func() bool, workers int, progress func(plies, positions int)) error {
	t.remember(stop)
	defer func() { t.memo = steps{} }()
	for plies := 1; plies <= 255; plies++ {
		found := t.pass(stop, workers, plies)
		if stop() {
			return context.Canceled
		}
		if found == 0 && plies > 1 {
			t.dirty, t.next = nil, nil
			return nil
		}
		if progress != nil {
			progress(plies, found)
		}
		t.dirty, t.next = t.next, t.dirty
		clear(t.next)
	}
	return errors.New("solve: some positions are decided only after more than 255 plies, too many for the table")
}

// remember fills the cache of steps if the table is small. If stop returns true, remember gives up
// and the cache stays empty.
func (t *Table) remember(stop func() bool) {
	n := t.endings.Placements()
	if n > mostRemembered {
		return
	}
	m := steps{all: make([]onitama.Step, 0, usualSteps*n), first: make([]uint32, n+1), wins: make([]uint8, n)}
	for i := range n {
		if i%4096 == 0 && stop() {
			return
		}
		m.all, m.wins[i] = t.endings.Successors(uint32(i), m.all)
		m.first[i+1] = uint32(len(m.all))
	}
	t.memo = m
}

// successors returns the result of onitama.Endings.Successors for placement n, from the cache if
// the cache is filled.
func (t *Table) successors(w *tableWorker, n uint32) (steps []onitama.Step, wins uint8) {
	if m := &t.memo; m.first != nil {
		return m.all[m.first[n]:m.first[n+1]], m.wins[n]
	}
	w.steps, wins = t.endings.Successors(n, w.steps[:0])
	return w.steps, wins
}

// pass finds the positions that end in the given number of plies and returns how many there are.
func (t *Table) pass(stop func() bool, workers, plies int) int {
	var at, found atomic.Int64
	var wg sync.WaitGroup
	for range max(1, workers) {
		wg.Go(func() {
			var w tableWorker
			for from := 0; from < len(t.dirty) && !stop(); {
				from = int(at.Add(chunk)) - chunk
				for i := from; i < min(from+chunk, len(t.dirty)); i++ {
					for set := t.dirty[i]; set != 0; set &= set - 1 {
						w.found += t.placement(&w, uint32(64*i+bits.TrailingZeros64(set)), plies)
					}
				}
			}
			found.Add(int64(w.found))
		})
	}
	wg.Wait()
	return int(found.Load())
}

// A tableWorker holds the scratch buffers of one worker in a pass.
type tableWorker struct {
	steps  []onitama.Step
	before []uint32
	found  int
}

// placement finds the deals with which placement n ends in the given number of plies, and returns
// the number of these deals.
func (t *Table) placement(w *tableWorker, n uint32, plies int) int {
	open := everyDeal &^ (t.won[n] | t.lost[n])
	if open == 0 {
		return 0
	}
	steps, wins := t.successors(w, n)
	if plies%2 == 1 {
		open &= t.winning(steps, wins)
		t.won[n] |= open
	} else {
		open &= t.losing(steps)
		t.lost[n] |= open
	}
	if open == 0 {
		return 0
	}
	for set := open; set != 0; set &= set - 1 {
		t.plies[int(n)*onitama.Deals+bits.TrailingZeros32(set)] = uint8(plies)
	}
	w.before = t.endings.Predecessors(n, w.before[:0])
	for _, p := range w.before {
		word, bit := &t.next[p/64], uint64(1)<<(p%64)
		if atomic.LoadUint64(word)&bit == 0 {
			atomic.OrUint64(word, bit)
		}
	}
	return bits.OnesCount32(open)
}

// winning returns the deals in which one of the mover's cards wins immediately or leads to a lost
// position.
func (t *Table) winning(steps []onitama.Step, wins uint8) (deals uint32) {
	e := t.endings
	for c := range e.Holds {
		if wins>>c&1 != 0 {
			deals |= e.Holds[c]
		}
	}
	for _, s := range steps {
		deals |= e.Leads[s.Card][t.lost[s.Placement]>>(6*s.Card)&63]
	}
	return deals
}

// losing returns the deals in which the mover has an action and all of the mover's actions lead to
// won positions. It need not look for immediate wins, because pass 1 has already found them.
func (t *Table) losing(steps []onitama.Step) (deals uint32) {
	e, some, open := t.endings, uint32(0), uint32(0)
	for _, s := range steps {
		some |= e.Holds[s.Card]
		open |= e.Holds[s.Card] &^ e.Leads[s.Card][t.won[s.Placement]>>(6*s.Card)&63]
	}
	return some &^ open
}

// Value returns the value of s. It returns false if the table does not contain s.
func (t *Table) Value(s onitama.State) (v Value, ok bool) {
	placement, deal, ok := t.endings.Find(s)
	if !ok {
		return Value{}, false
	}
	plies := int(t.plies[int(placement)*onitama.Deals+deal])
	switch {
	// A draw: the turn limit, which Solve ignores, ends the game before the win.
	case plies > s.TurnsLeft():
	case t.won[placement]>>deal&1 != 0:
		return Value{engine.WonBy(s.ToMove()), plies}, true
	case t.lost[placement]>>deal&1 != 0:
		return Value{engine.WonBy(1 - s.ToMove()), plies}, true
	}
	return Value{Outcome: engine.Draw}, true
}

// Line returns the solved line of s: the values of s and of all its actions. It returns false if
// the table lacks one of them.
func (t *Table) Line(s onitama.State) (Line, bool) { return line(s, t.Value) }

// In the table of Endings, neither side has more than fewStudents students. With two students per
// side there would be about a hundred times as many positions.
const fewStudents = 1

// Endings solves all positions with the cards of s in which neither player has more than two
// pieces. These are ten million positions, in a table of 13 MB. If stop returns true, Endings gives
// up and returns nil. stop may be nil. See [engine.Rules].
func Endings(s onitama.State, stop func() bool) engine.Endings[onitama.State] {
	e, err := onitama.NewEndings(s.Cards(), fewStudents)
	if err != nil {
		panic(err) // cannot happen, because a state has five different cards
	}
	t := NewTable(e)
	if err := t.Solve(func() bool { return stop != nil && stop() }, 1, nil); err != nil {
		return nil
	}
	return t
}

// Fit reports whether the table belongs to the game of s; see engine.Endings.
func (t *Table) Fit(s *onitama.State) bool { return t.endings.Fit(s) }

// Find returns the value of s; see engine.Endings.
func (t *Table) Find(s *onitama.State) (o engine.Outcome, plies int, ok bool) {
	v, ok := t.Value(*s)
	return v.Outcome, v.Plies, ok
}
