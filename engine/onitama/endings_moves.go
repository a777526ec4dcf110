package onitama

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"dojo.example/engine"
)

// Step is an action in a placement. It holds the placement after the action, and the index, from 0
// to 4, of the card played.
type Step struct {
	Placement uint32
	Card      uint8
}

// For each of the five cards, Successors appends the actions that do not win immediately. The bit
// mask wins is the set of cards with which the player to move can win immediately. If the game is
// over, Successors appends nothing.
func (e *Endings) Successors(placement uint32, dst []Step) (steps []Step, wins uint8) {
	p := e.placed(placement)
	if over(&p) {
		return dst, 0
	}
	other := p.Passed() // from the perspective of the next player
	for men := p.Mine; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		goals := board(1) << p.TheirMaster
		if from == int(p.MyMaster) {
			goals |= 1 << target
		}
		for c, id := range e.cards {
			to := reach[id][from] &^ p.Mine
			if to&goals != 0 {
				wins |= 1 << c
			}
			for to &^= goals; to != 0; to &= to - 1 {
				next := other
				cell := cells - 1 - bits.TrailingZeros32(to)
				next.Mine &^= 1 << cell
				next.Theirs ^= 1<<(cells-1-from) | 1<<cell
				if from == int(p.MyMaster) {
					next.TheirMaster = uint8(cell)
				}
				dst = append(dst, Step{e.index(next), uint8(c)})
			}
		}
	}
	return dst, wins
}

// Predecessors appends the placements from which an action with one of the five cards leads to the
// given placement. Some of them may be placements in which the game is over.
func (e *Endings) Predecessors(placement uint32, dst []uint32) []uint32 {
	p := e.placed(placement)
	if over(&p) {
		return dst
	}
	more := students(p.Mine, p.MyMaster) < e.students
	other := p.Passed() // from the perspective of the previous player
	for men := other.Mine; men != 0; men &= men - 1 {
		to := bits.TrailingZeros32(men)
		for from := e.back[to] &^ (other.Mine | other.Theirs); from != 0; from &= from - 1 {
			before := other
			before.Mine ^= 1<<to | from&-from
			if to == int(before.MyMaster) {
				before.MyMaster = uint8(bits.TrailingZeros32(from))
			}
			dst = append(dst, e.index(before))
			if more { // the action may have captured a student on this cell
				before.Theirs |= 1 << to
				dst = append(dst, e.index(before))
			}
		}
	}
	return dst
}

// Position returns the state for a placement, a deal and a player to move. ok is false if the game
// is over.
func (e *Endings) Position(placement uint32, deal int, mover engine.Player) (s State, ok bool) {
	s.Sides = e.placed(placement)
	s.Mover = mover
	for i, c := range e.deals[deal] {
		s.hand[i] = e.cards[c]
	}
	return s, !over(&s.Sides)
}

// Find returns the placement and the deal of a state. ok is false if the game is over or if s has
// other cards or too many students.
func (e *Endings) Find(s State) (placement uint32, deal int, ok bool) {
	if s.outcome != engine.Ongoing || students(s.Mine, s.MyMaster) > e.students || students(s.Theirs, s.TheirMaster) > e.students {
		return 0, 0, false
	}
	hand, ok := e.held(s.hand)
	if !ok {
		return 0, 0, false
	}
	return e.index(s.Sides), int(e.dealOf(hand)), true
}

// held returns the cards of a state as indices into e.cards. ok is false if one of the cards is not
// in e.cards.
func (e *Endings) held(cards [handSize]card) (hand [handSize]uint8, ok bool) {
	for i, c := range cards {
		at := slices.Index(e.cards[:], c)
		if at < 0 {
			return hand, false
		}
		hand[i] = uint8(at)
	}
	return hand, true
}

// Fit reports whether the five cards of s are the cards of the endings.
func (e *Endings) Fit(s *State) bool {
	_, ok := e.held(s.hand)
	return ok
}

// Open returns the number of placements in which the game is not over. The two masters can be
// placed in 600 ways. In 47 of these the game is over: in 24 the mover's master is on its target,
// and in 24 the opponent's master is, with one way in both groups.
func (e *Endings) Open() int {
	return int(e.total) / (cells * (cells - 1)) * (cells*(cells-1) - 2*(cells-1) + 1)
}

// TurnsLeft returns the number of actions until rule 5 makes the game a draw.
func (s State) TurnsLeft() int { return Turns - int(s.plies) }

// Cards returns the ids of the five cards in this game, in increasing order. The ids are the
// numbers of the cards in rule 2 of rules.md.
func (s State) Cards() []int {
	ids := make([]int, 0, handSize)
	for _, c := range s.hand {
		ids = append(ids, int(c))
	}
	slices.Sort(ids)
	return ids
}

// Most returns the number of men of the player who has more men, including the master.
func (s State) Most() int {
	return max(bits.OnesCount32(s.Mine), bits.OnesCount32(s.Theirs))
}

// Fresh returns the same position with no turns played, so that the limit of rule 5 is far away.
func (s State) Fresh() State {
	s.plies = 0
	return s
}

// Shuffled returns a start position in which the five given cards are dealt at random. The ids are
// the numbers of the cards in rule 2 of rules.md.
func Shuffled(ids []int, rng *rand.Rand) State {
	var hand [handSize]card
	for i, at := range rng.Perm(handSize) {
		hand[i] = card(ids[at])
	}
	return opening(hand)
}
