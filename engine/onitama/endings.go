package onitama

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"dojo/engine"
)

// Endings numbers the positions of one set of five cards in which neither player
// has more than a few students, for tables over all of them. A position is a
// placement, which is where the men stand as the mover sees them, and a deal, which
// is who holds which card. Whose turn it is and how many turns were played does not
// matter. The numbers of the placements of one material (mine students against
// theirs) follow each other:
//
//	placement = begin[mine][theirs] + ((masters * C(23, theirs)) + place of theirs) * C(23-theirs, mine) + place of mine
//
// A place is the number of a set of cells among those sets that the men before it
// leave free (the combinatorial number system).
type Endings struct {
	cards    [handSize]card // in increasing order
	students int
	begin    [side][side]uint32
	total    uint32
	back     [cells]board // from where any of the cards takes a man of the other's to a cell
	after    [Deals][handSize]uint8
	deals    [Deals][handSize]uint8 // the hand, as indices into cards
}

// Deals is how many ways there are to deal the cards: five for the centre, and
// six for the mover's hand. Deal c*6 + k has the c-th card in the centre.
const Deals = 30

// A Step is an action in a placement without its deal: the placement that it leads
// to, and the card that it takes, an index of 0 to 4.
type Step struct {
	Placement uint32
	Card      uint8
}

// binomial[n][k] is n over k.
var binomial = func() (b [cells + 1][side]uint32) {
	for n := range b {
		b[n][0] = 1
		for k := 1; k < side && n > 0; k++ {
			b[n][k] = b[n-1][k-1] + b[n-1][k]
		}
	}
	return b
}()

// mostStudents of a side keep placements within 32 bits.
const mostStudents = 2

// NewEndings numbers the endings of five different cards, by their ids of rule 2,
// with at most so many students a side, 0 to 2.
func NewEndings(ids []int, students int) (*Endings, error) {
	e := &Endings{students: students}
	if len(ids) != handSize || students < 0 || students > mostStudents {
		return nil, fmt.Errorf("onitama: endings of %d cards and %d students, want %d cards and 0 to %d students", len(ids), students, handSize, mostStudents)
	}
	ids = slices.Sorted(slices.Values(ids))
	for i, id := range ids {
		if id < 0 || id >= cards || i > 0 && id == ids[i-1] {
			return nil, fmt.Errorf("onitama: endings of the cards %v, want five different ones from 0 to %d", ids, cards-1)
		}
		e.cards[i] = card(id)
	}
	for a := range students + 1 {
		for b := range students + 1 {
			e.begin[a][b] = e.total
			e.total += cells * (cells - 1) * binomial[cells-2][b] * binomial[cells-2-b][a]
		}
	}
	for cell := range cells {
		for _, c := range e.cards {
			e.back[cell] |= reach[c][cell]
		}
	}
	e.deal()
	return e, nil
}

// deal fills in the deals, and to which of them playing a card leads.
func (e *Endings) deal() {
	for centre := range handSize {
		k := 0
		for i := range handSize {
			for j := i + 1; j < handSize; j++ {
				if i == centre || j == centre {
					continue
				}
				hand := [handSize]uint8{uint8(i), uint8(j), 0, 0, uint8(centre)}
				n := 2
				for c := range handSize {
					if c != i && c != j && c != centre {
						hand[n] = uint8(c)
						n++
					}
				}
				e.deals[6*centre+k] = hand
				k++
			}
		}
	}
	for d, hand := range e.deals {
		for slot := range 2 { // rule 4.3, as State.Play
			after := [handSize]uint8{hand[2], hand[3], hand[1-slot], hand[centre], hand[slot]}
			e.after[d][hand[slot]] = e.dealOf(after)
		}
	}
}

// dealOf is the number of a deal whose hands may be in any order.
func (e *Endings) dealOf(hand [handSize]uint8) uint8 {
	low, high := min(hand[0], hand[1]), max(hand[0], hand[1])
	for k := range uint8(6) {
		if d := &e.deals[6*hand[centre]+k]; d[0] == low && d[1] == high {
			return 6*hand[centre] + k
		}
	}
	panic("onitama: not a deal") // all are listed
}

// Placements is how many there are.
func (e *Endings) Placements() int { return int(e.total) }

// Holds reports whether the mover has a card in a deal.
func (e *Endings) Holds(deal int, card uint8) bool {
	return e.deals[deal][0] == card || e.deals[deal][1] == card
}

// After is the deal, as the next player sees it, after the mover has played a card
// that he holds.
func (e *Endings) After(deal int, card uint8) int { return int(e.after[deal][card]) }

// A placed is a placement as boards.
type placed struct {
	mine, theirs          board // students
	myMaster, theirMaster uint8
}

// index is the number of a placement.
func (e *Endings) index(p placed) uint32 {
	a, b := bits.OnesCount32(p.mine), bits.OnesCount32(p.theirs)
	masters := uint32(p.myMaster)*(cells-1) + uint32(p.theirMaster)
	if p.theirMaster > p.myMaster {
		masters--
	}
	taken := board(1)<<p.myMaster | board(1)<<p.theirMaster
	n := masters*binomial[cells-2][b] + place(p.theirs, taken)
	return e.begin[a][b] + n*binomial[cells-2-b][a] + place(p.mine, taken|p.theirs)
}

// place numbers a set of cells among the sets of as many cells that are not taken.
func place(set, taken board) (n uint32) {
	for k := 1; set != 0; k++ {
		low := set & -set
		cell := bits.TrailingZeros32(low) - bits.OnesCount32(taken&(low-1))
		n += binomial[cell][k]
		set ^= low
	}
	return n
}

// set is the inverse of place, of k cells.
func set(n uint32, k int, taken board) (b board) {
	for cell := cells - 1; k > 0; k-- {
		for binomial[cell][k] > n {
			cell--
		}
		n -= binomial[cell][k]
		b |= nth(cell, taken)
		cell--
	}
	return b
}

// nth is the n-th cell, from 0, that is not taken.
func nth(n int, taken board) board {
	free := all &^ taken
	for range n {
		free &= free - 1
	}
	return free & -free
}

// placed is the inverse of index.
func (e *Endings) placed(n uint32) placed {
	a, b := e.students, e.students
	for e.begin[a][b] > n {
		if b--; b < 0 {
			a, b = a-1, e.students
		}
	}
	n -= e.begin[a][b]
	mine := n % binomial[cells-2-b][a]
	n /= binomial[cells-2-b][a]
	theirs := n % binomial[cells-2][b]
	masters := n / binomial[cells-2][b]
	p := placed{myMaster: uint8(masters / (cells - 1)), theirMaster: uint8(masters % (cells - 1))}
	if p.theirMaster >= p.myMaster {
		p.theirMaster++
	}
	taken := board(1)<<p.myMaster | board(1)<<p.theirMaster
	p.theirs = set(theirs, b, taken)
	p.mine = set(mine, a, taken|p.theirs)
	return p
}

// over reports whether the game has ended in a placement.
func (p *placed) over() bool { return p.myMaster == target || p.theirMaster == home }

// turned is the placement as the other player sees it.
func (p *placed) turned() placed {
	return placed{rotate(p.theirs), rotate(p.mine), opposite(p.theirMaster), opposite(p.myMaster)}
}

// Successors appends the actions of all cards in a placement, and returns the cards
// that win at once as bits. It appends nothing where the game is over.
func (e *Endings) Successors(placement uint32, dst []Step) (steps []Step, wins uint8) {
	p := e.placed(placement)
	if p.over() {
		return dst, 0
	}
	master, prey := board(1)<<p.myMaster, board(1)<<p.theirMaster
	men := p.mine | master
	other := p.turned() // as the next player sees it
	for left := men; left != 0; left &= left - 1 {
		man := left & -left
		from := bits.TrailingZeros32(man)
		goals := prey
		if man == master {
			goals |= 1 << target
		}
		for c, id := range e.cards {
			to := reach[id][from] &^ men
			if to&goals != 0 {
				wins |= 1 << c
			}
			for to &^= goals; to != 0; to &= to - 1 {
				next := other
				cell := cells - 1 - bits.TrailingZeros32(to)
				next.mine &^= 1 << cell
				if man == master {
					next.theirMaster = uint8(cell)
				} else {
					next.theirs ^= 1<<(cells-1-from) | 1<<cell
				}
				dst = append(dst, Step{e.index(next), uint8(c)})
			}
		}
	}
	return dst, wins
}

// Predecessors appends the placements from which an action of any card leads to a
// placement. Some of them are of games that are over.
func (e *Endings) Predecessors(placement uint32, dst []uint32) []uint32 {
	p := e.placed(placement)
	if p.over() {
		return dst
	}
	taken := p.mine | p.theirs | 1<<p.myMaster | 1<<p.theirMaster
	more := bits.OnesCount32(p.mine) < e.students
	other := p.turned() // as the player before sees it
	for left := p.theirs | 1<<p.theirMaster; left != 0; left &= left - 1 {
		to := bits.TrailingZeros32(left)
		for from := e.back[to] &^ taken; from != 0; from &= from - 1 {
			before := other
			cell := cells - 1 - bits.TrailingZeros32(from)
			if to == int(p.theirMaster) {
				before.myMaster = uint8(cell)
			} else {
				before.mine ^= 1<<(cells-1-to) | 1<<cell
			}
			dst = append(dst, e.index(before))
			if more { // a student stood there
				before.theirs |= 1 << (cells - 1 - to)
				dst = append(dst, e.index(before))
			}
		}
	}
	return dst
}

// Position is a position of a placement and a deal with a player to move, if the
// game is not over in it.
func (e *Endings) Position(placement uint32, deal int, mover engine.Player) (s State, ok bool) {
	p := e.placed(placement)
	s = State{
		mine: p.mine | 1<<p.myMaster, theirs: p.theirs | 1<<p.theirMaster,
		myMaster: p.myMaster, theirMaster: p.theirMaster, mover: mover,
	}
	for i, c := range e.deals[deal] {
		s.hand[i] = e.cards[c]
	}
	return s, !p.over()
}

// Find is the inverse of Position, if the position is one of the endings and the
// game is not over.
func (e *Endings) Find(s State) (placement uint32, deal int, ok bool) {
	if s.outcome != engine.Ongoing || students(s.mine, s.myMaster) > e.students || students(s.theirs, s.theirMaster) > e.students {
		return 0, 0, false
	}
	var hand [handSize]uint8
	for i, c := range s.hand {
		at := slices.Index(e.cards[:], c)
		if at < 0 {
			return 0, 0, false
		}
		hand[i] = uint8(at)
	}
	p := placed{s.mine &^ (1 << s.myMaster), s.theirs &^ (1 << s.theirMaster), s.myMaster, s.theirMaster}
	return e.index(p), int(e.dealOf(hand)), true
}

// Open is how many placements are not of games that are over: of the 600 places of
// the masters all but the 24 with the mover's on his target and the 24 with the
// other's on his, one of which is both.
func (e *Endings) Open() int {
	return int(e.total) / (cells * (cells - 1)) * (cells*(cells-1) - 2*(cells-1) + 1)
}

// Most is the number of men, the master included, of the player who has more.
func (s State) Most() int {
	return max(bits.OnesCount32(s.mine), bits.OnesCount32(s.theirs))
}

// Fresh is the position as if no turn had been played, so that the limit of rule 5
// is far away.
func (s State) Fresh() State {
	s.plies = 0
	return s
}

// Shuffled is the start of a game with five cards, by their ids of rule 2, in a
// random order.
func Shuffled(ids []int, rng *rand.Rand) State {
	var hand [handSize]card
	for i, at := range rng.Perm(handSize) {
		hand[i] = card(ids[at])
	}
	return opening(hand)
}
