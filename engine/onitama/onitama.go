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

// The rules for people.
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
	hand    [handSize]card // two of the mover in order (rule 4.3), two of the opponent, centre
	plies   uint8          // number of actions played
	outcome engine.Outcome // Ongoing while nobody has won and plies < Turns
}

const (
	gone   = fivebyfive.Gone
	home   = 2  // the mover's shrine (rule 1)
	target = 22 // the opponent's shrine

	handSize = 5  // number of cards in a game
	centre   = 4  // index of the centre card in State.hand
	maxLegal = 40 // maximum number of legal actions: five men, eight vectors on two cards (rule 13)
)

// An action consists of a man's cell, the slot of a card in the hand, and the target cell within
// the 5x5 square around the man:
//
//	action = from*50 + slot*25 + (dy+2)*5 + dx+2        dy > 0 is forward
//
// The sum of the last two terms is 12 + to - from. Passing with a card is an action that stays on
// cell 0.
const (
	perSlot = 25
	perCell = 2 * perSlot
	still   = 12
)

func action(from, slot, to int) engine.Action {
	return engine.Action(from*perCell + slot*perSlot + still + to - from)
}

// Possible returns the actions that are legal in at least one position, in increasing order. They
// are about 430 of Spec.Actions.
func Possible() (list []engine.Action) {
	for a := range engine.Action(cells * perCell) {
		from, _, to := split(a)
		possible := from == 0 && to == 0 // to pass
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

// opening returns the start position of rule 1 with the given cards.
func opening(hand [handSize]card) State {
	return State{
		Sides: fivebyfive.Sides{Mine: 0b11111, Theirs: 0b11111 << 20, MyMaster: home, TheirMaster: target},
		hand:  hand,
	}
}

// start deals five different cards. All orders have the same probability. Unlike the referee, start
// does not reject any layout.
func start(rng *rand.Rand) State {
	var hand [handSize]card
	for i, c := range rng.Perm(cards)[:handSize] {
		hand[i] = card(c)
	}
	return opening(hand)
}

// Outcome returns the result of the game; see engine.State.
func (s State) Outcome() engine.Outcome { return s.outcome }

// Legal appends the legal actions; see engine.State. Men jump to their target (rule 4.1). A player
// who cannot move passes with either card (rule 4.4).
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
		// The second card's cells are perSlot bits above the first card's, as in an action.
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
		// Rule 4.3: the used card goes to the centre, and the old centre card is appended to the
		// hand.
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
