// Package onitama implements Onitama. Classic follows the rules of CodinGame's referee. The rule
// numbers in this package refer to rules.md.
//
// A State is the position from the perspective of the player to move. The board is rotated after
// every turn, so that both players move upwards.
package onitama

import (
	_ "embed"
	"math/bits"
	"math/rand/v2"
	"slices"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// Texts with the rules for people, in English and Vietnamese.
var (
	//go:embed rules.md
	english string
	//go:embed rules.vi.md
	vietnamese string
)

// Turns is the number of actions after which a game without a winner is a draw (rule 5).
const Turns = 200

// Classic is Onitama with the sixteen base cards.
var Classic = engine.Rules[State]{
	Spec: engine.Spec{
		Name:     "onitama",
		Version:  1,
		MaxText:  64,
		Actions:  cells * perCell,
		Planes:   engine.Shape{C: channels, H: side, W: side},
		MaxPlies: Turns,
		MaxLegal: maxLegal,

		Features:       feat.groups.Count(),
		ActiveFeatures: activeFeatures,
		ActionFeatures: actionFeatures,
		PerAction:      1,
	},
	English:    engine.ParseAbout(english),
	Vietnamese: engine.ParseAbout(vietnamese),
	Start:      start,
	Parse:      Parse,
	Protocols:  []engine.Protocol{{Name: "codingame", FirstTurn: 1000, Turn: 50, Read: read, Ask: ask, Answer: answer}},

	FeatureGroups: feat.groups,
}.WithSymmetries(fivebyfive.Symmetries(symmetry)...)

// State is a position. Cells are from the perspective of the player to move.
type State struct {
	fivebyfive.Sides
	hand    [handSize]card // the mover's two cards in order (rule 4.3), the opponent's two cards, the centre card
	plies   uint8          // number of actions played
	outcome engine.Outcome // Ongoing as long as nobody has won and plies < Turns
}

const (
	gone   = fivebyfive.Gone
	home   = 2  // the mover's shrine (rule 1)
	target = 22 // the opponent's shrine

	handSize = 5  // number of cards in a game
	centre   = 4  // index of the centre card in State.hand
	maxLegal = 40 // maximum number of legal actions: five men, two cards with eight vectors (rule 13)
)

// An action consists of the cell of a man, the slot of a card in the hand (0 or 1), and the target
// cell. The target is dx columns and dy rows away from the man, each from -2 to 2:
//
//	action = from*50 + slot*25 + (dy+2)*5 + dx+2        dy > 0 is forward
//
// The sum of the last two terms is 12 + to - from. An action that stays on cell 0 means passing
// with the card.
const (
	perSlot = 25
	perCell = 2 * perSlot
	still   = 12
)

func action(from, slot, to int) engine.Action {
	return engine.Action(from*perCell + slot*perSlot + still + to - from)
}

// Possible returns the actions that are legal in at least one position, in increasing order. These
// are about 430 of the Spec.Actions actions.
func Possible() (list []engine.Action) {
	for a := range engine.Action(cells * perCell) {
		from, _, to := split(a)
		possible := from == 0 && to == 0 // true for a pass; the loop below finds the possible moves
		for c := range reach {
			possible = possible || to >= 0 && to < cells && reach[c][from]>>to&1 != 0
		}
		if possible {
			list = append(list, a)
		}
	}
	return list
}

func split(a engine.Action) (from, slot, to int) {
	from, slot = int(a)/perCell, int(a)%perCell/perSlot
	return from, slot, from + int(a)%perSlot - still
}

// opening returns the start position of rule 1 with the given cards in State.hand.
func opening(hand [handSize]card) State {
	return State{
		Sides: fivebyfive.Sides{Mine: 0b11111, Theirs: 0b11111 << 20, MyMaster: home, TheirMaster: target},
		hand:  hand,
	}
}

// start deals five different cards. All deals are equally likely. Unlike the referee, start rejects
// no deal.
func start(rng *rand.Rand) State {
	var hand [handSize]card
	for i, c := range rng.Perm(cards)[:handSize] {
		hand[i] = card(c)
	}
	return opening(hand)
}

// Outcome returns the result of the game; see engine.State.
func (s State) Outcome() engine.Outcome { return s.outcome }

// Legal appends the legal actions; see engine.State. Men can jump over other men (rule 4.1). A
// player who cannot move passes with either card (rule 4.4).
func (s State) Legal(dst []engine.Action) []engine.Action {
	if s.outcome != engine.Ongoing {
		return dst
	}
	first, second := &reach[s.hand[0]], &reach[s.hand[1]]
	dst = slices.Grow(dst, maxLegal)
	list, n := dst[len(dst):][:maxLegal], 0
	for men := s.Mine; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		base := action(from, 0, 0)
		// The bits of the second card's cells follow the bits of the first card's cells, so the
		// loop finds the actions in increasing order.
		for to := fivebyfive.Pair(first[from]&^s.Mine, second[from]&^s.Mine); to != 0; to &= to - 1 {
			list[n] = base + engine.Action(bits.TrailingZeros64(to))
			n++
		}
	}
	if n == 0 {
		return append(dst, action(0, 0, 0), action(0, 1, 0))
	}
	return dst[:len(dst)+n]
}

// Play returns the state after action a; see engine.State.
func (s State) Play(a engine.Action) (next State) {
	from, slot, to := split(a)
	next = State{
		Sides: fivebyfive.Sides{
			Mine: s.Theirs, Theirs: s.Mine,
			MyMaster: s.TheirMaster, TheirMaster: s.MyMaster,
			Mover: 1 - s.Mover,
		},
		// Rule 4.3: the used card goes to the centre, and the old centre card becomes the second
		// card of the mover's hand.
		hand:  [handSize]card{s.hand[2], s.hand[3], s.hand[1-slot], s.hand[centre], s.hand[slot]},
		plies: s.plies + 1,
	}
	if from != to {
		next.Theirs ^= 1<<from | 1<<to
		next.Mine &^= 1 << to // rule 4.2
		if from == int(s.MyMaster) {
			next.TheirMaster = uint8(to)
		}
		if to == int(s.TheirMaster) {
			next.MyMaster = gone
		}
	}
	switch { // rule 5
	case next.MyMaster == gone || next.TheirMaster == target:
		next.outcome = engine.WonBy(s.Mover)
	case next.plies == Turns:
		next.outcome = engine.Draw
	}
	next.Mine, next.Theirs = fivebyfive.Rotate(next.Mine), fivebyfive.Rotate(next.Theirs)
	next.MyMaster, next.TheirMaster = fivebyfive.Opposite(next.MyMaster), fivebyfive.Opposite(next.TheirMaster)
	return next
}
