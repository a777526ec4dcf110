package onitama

import (
	"fmt"
	"math/bits"
	"slices"

	"dojo.example/engine/fivebyfive"
)

// Endings numbers all positions with five given cards and few students on each side. The numbers
// serve as indices into a table. A position consists of a placement and a deal. The placement is
// the men on the board as seen by the player to move. The deal says who holds which card. The
// numbers do not depend on who is to move or on how many turns were played. In a placement, mine is
// the number of my students and theirs the number of the opponent's students. Placements with the
// same mine and theirs have consecutive numbers:
//
//	placement = begin[mine][theirs] +
//	    ((masters * C(23, theirs)) + place of theirs) * C(23-theirs, mine) + place of mine
//
// The place of a set of cells is its number among all sets of that size on the cells that are still
// free (combinatorial number system).
type Endings struct {
	cards    [handSize]card // the five cards in increasing order
	students int
	begin    [side][side]uint32
	total    uint32
	back     [cells]board           // for each cell, the cells from which my man can reach it
	deals    [Deals][handSize]uint8 // the cards of each deal, as indices into cards

	// Holds and Leads contain sets of deals as bit masks. Holds[c] is the set of deals in which the
	// player to move has card c. After card c is played, it is in the centre, so the new deal is
	// 6*c + k, where k is from 0 to 5. Leads[c][set] is the set of deals from which playing card c
	// leads to one of the new deals in set; bit k of set stands for deal 6*c + k.
	Holds [handSize]uint32
	Leads [handSize][1 << 6]uint32
}

// Deals is the number of ways to deal the five cards: five choices for the centre times six hands
// for the player to move. Deals are numbered c*6 + k: card c is in the centre, and k (0 to 5) is
// the number of the hand of the player to move.
const Deals = 30

// binomial[n][k] is the binomial coefficient "n choose k".
var binomial = func() (b [cells + 1][side]uint32) {
	for n := range b {
		b[n][0] = 1
		for k := 1; k < side && n > 0; k++ {
			b[n][k] = b[n-1][k-1] + b[n-1][k]
		}
	}
	return b
}()

// mostStudents is the maximum number of students per side. With more students, the number of a
// placement would not fit into 32 bits.
const mostStudents = 2

// NewEndings returns the numbering for five different cards and at most the given number of
// students per side. The ids are the numbers of the cards in rule 2 of rules.md. The number of
// students must be from 0 to 2.
func NewEndings(ids []int, students int) (*Endings, error) {
	e := &Endings{students: students}
	if len(ids) != handSize || students < 0 || students > mostStudents {
		return nil, fmt.Errorf("onitama: endings with %d cards and %d students per side, want %d cards and 0 to %d students", len(ids), students, handSize, mostStudents)
	}
	ids = slices.Sorted(slices.Values(ids))
	for i, id := range ids {
		if id < 0 || id >= cards || i > 0 && id == ids[i-1] {
			return nil, fmt.Errorf("onitama: endings with the cards %v, want five different cards from 0 to %d", ids, cards-1)
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
			e.back[cell] |= back[c][cell]
		}
	}
	e.deal()
	return e, nil
}

// deal fills the tables deals, Holds and Leads.
func (e *Endings) deal() {
	for d := range e.deals {
		rest := slices.Delete([]uint8{0, 1, 2, 3, 4}, d/6, d/6+1)
		at := [6][4]int{{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}}[d%6]
		e.deals[d] = [handSize]uint8{rest[at[0]], rest[at[1]], rest[at[2]], rest[at[3]], uint8(d / 6)}
	}
	for d, hand := range e.deals {
		for slot := range 2 { // the cards move by rule 4.3, as in State.Play
			c := hand[slot]
			after := e.dealOf([handSize]uint8{hand[2], hand[3], hand[1-slot], hand[centre], c})
			e.Holds[c] |= 1 << d
			for set := range e.Leads[c] {
				if set>>(after-6*c)&1 != 0 {
					e.Leads[c][set] |= 1 << d
				}
			}
		}
	}
}

// dealOf returns the number of the deal that hand describes. The two cards of a player may be in
// any order.
func (e *Endings) dealOf(hand [handSize]uint8) uint8 {
	low, high := min(hand[0], hand[1]), max(hand[0], hand[1])
	for k := range uint8(6) {
		if d := &e.deals[6*hand[centre]+k]; d[0] == low && d[1] == high {
			return 6*hand[centre] + k
		}
	}
	panic("onitama: not a deal") // cannot happen: e.deals lists all deals
}

// Placements returns the number of placements.
func (e *Endings) Placements() int { return int(e.total) }

// index returns the number of a placement.
func (e *Endings) index(p fivebyfive.Sides) uint32 {
	taken := board(1)<<p.MyMaster | board(1)<<p.TheirMaster
	mine, theirs := p.Mine&^taken, p.Theirs&^taken
	a, b := bits.OnesCount32(mine), bits.OnesCount32(theirs)
	masters := uint32(p.MyMaster)*(cells-1) + uint32(p.TheirMaster)
	if p.TheirMaster > p.MyMaster {
		masters--
	}
	n := masters*binomial[cells-2][b] + place(theirs, taken)
	return e.begin[a][b] + n*binomial[cells-2-b][a] + place(mine, taken|theirs)
}

// place returns the number of a set of cells among all sets of the same size that contain no cell
// of taken.
func place(set, taken board) (n uint32) {
	for k := 1; set != 0; k++ {
		low := set & -set
		cell := bits.TrailingZeros32(low) - bits.OnesCount32(taken&(low-1))
		n += binomial[cell][k]
		set ^= low
	}
	return n
}

// set returns the set of k cells whose number is n; see place.
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

// nth returns the n-th cell that is not in taken; n counts from 0.
func nth(n int, taken board) board {
	free := all &^ taken
	for range n {
		free &= free - 1
	}
	return free & -free
}

// placed returns the placement with number n, with First to move.
func (e *Endings) placed(n uint32) (p fivebyfive.Sides) {
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
	p.MyMaster, p.TheirMaster = uint8(masters/(cells-1)), uint8(masters%(cells-1))
	if p.TheirMaster >= p.MyMaster {
		p.TheirMaster++
	}
	p.Mine, p.Theirs = 1<<p.MyMaster, 1<<p.TheirMaster
	p.Theirs |= set(theirs, b, p.Mine|p.Theirs)
	p.Mine |= set(mine, a, p.Mine|p.Theirs)
	return p
}

// over reports whether the game is over in a placement.
func over(p *fivebyfive.Sides) bool { return p.MyMaster == target || p.TheirMaster == home }
