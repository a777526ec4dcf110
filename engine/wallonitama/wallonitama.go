// Package wallonitama implements the variant of Onitama that has a wall. The section numbers in
// this package refer to rules.md. A turn consists of two actions of one player: first the player
// moves a pawn, then the wall. A card can be any 5×5 pattern.
//
// A State is the position from the perspective of the player to move, with the opponent's men at
// row 0. The board is rotated when the turn passes.
package wallonitama

import (
	_ "embed"
	"math/bits"

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

// Rules is the game with the usual limit of 50 turns.
var Rules = New("wallonitama", 50)

// Configured returns the game with the option turns, which sets the turn limit.
func Configured(name string, set *engine.Settings) engine.Rules[State] {
	return New(name, uint8(set.Int("turns", 50, 1, maxTurns)))
}

// New returns the game with a turn limit. The turns of both players count (section 4).
func New(name string, turns uint8) engine.Rules[State] {
	return engine.Rules[State]{
		Spec: engine.Spec{
			Name:     name,
			Version:  1,
			MaxText:  192,
			Actions:  cells * perCell,
			Planes:   engine.Shape{C: channels, H: side, W: side},
			MaxPlies: 2 * maxTurns,
			MaxLegal: 2 * 5 * (cells - 5), // two cards, five men, and all cells without the mover's men

			Features:       feat.groups.Count(),
			ActiveFeatures: activeFeatures,
			ActionFeatures: actionFeatures,
			PerAction:      1,
		},
		English:    engine.ParseAbout(english),
		Vietnamese: engine.ParseAbout(vietnamese),
		Start:      dealer(turns),
		Parse:      Parse,

		FeatureGroups: feat.groups,
	}.WithSymmetries(fivebyfive.Symmetries(symmetry)...)
}

// maxTurns is the largest value of the option turns.
const maxTurns = 200

// State is a position. Cells and cards are from the perspective of the player to move.
type State struct {
	fivebyfive.Sides // all pawns; MyMaster and TheirMaster are the generals
	wall             uint8
	cards            [5]card // two of the mover, two of the opponent, side card
	left             uint8   // number of turns left, including this one
	walling          bool    // whether the mover has moved a pawn and must move the wall now
	outcome          engine.Outcome
}

const (
	gone    = fivebyfive.Gone
	base    = 22 // the mover's base; for player A it is cell e3
	target  = 2  // the opponent's base
	sideway = 4  // index of the side card in State.cards
)

// An action has the number cell*163 + plane. Planes 0 to 161 move the pawn on the cell: the plane
// consists of the slot of a card and a step of up to four rows and columns. Plane 162 holds the
// other actions: the five actions of the wall on cells 0 to 4, and on cells 5 and 6 the choice of a
// card by a player who cannot move a pawn.
const (
	reachSide = 9
	perSlot   = reachSide * reachSide
	planeRest = 2 * perSlot
	perCell   = planeRest + 1
	passes    = 5 // cell of the action that passes with the first card
)

// These are the wall's actions, in order. Directions are from the mover's perspective.
const (
	up = iota
	left
	down
	right
	stay
)

// steps holds, for each action of the wall, the index of its step in shifts.
var steps = [...]int{up: perSlot/2 - reachSide, left: perSlot/2 - 1, down: perSlot/2 + reachSide, right: perSlot/2 + 1, stay: perSlot / 2}

func pawnAction(slot, from, to int) engine.Action {
	return engine.Action(from*perCell + slot*perSlot + perSlot/2 + wide[to] - wide[from])
}

func restAction(cell int) engine.Action { return engine.Action(cell*perCell + planeRest) }

// Outcome returns the result of the game; see engine.State.
func (s State) Outcome() engine.Outcome { return s.outcome }

// Legal appends the legal actions; see engine.State.
func (s State) Legal(dst []engine.Action) []engine.Action {
	switch {
	case s.outcome != engine.Ongoing:
		return dst
	case s.walling:
		for w := range steps {
			if s.wallTo(w) >= 0 {
				dst = append(dst, restAction(w))
			}
		}
		return dst
	}
	n := len(dst)
	blocked := s.Mine | 1<<s.wall // pawns cannot move to these cells (section 3.1)
	for men := s.Mine; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		for slot := range 2 {
			for to := s.cards[slot].from(from) &^ blocked; to != 0; to &= to - 1 {
				dst = append(dst, pawnAction(slot, from, bits.TrailingZeros32(to)))
			}
		}
	}
	if len(dst) == n { // no pawn can move
		dst = append(dst, restAction(passes), restAction(passes+1))
	}
	return dst
}

// wallTo returns the cell to which action w moves the wall. It returns -1 if the action is illegal
// (section 3.4).
func (s *State) wallTo(w int) int {
	by := &shifts[steps[w]]
	if by.from>>s.wall&1 == 0 {
		return -1
	}
	to := int(s.wall) + int(by.by)
	if w != stay && (to == base || to == target || s.Theirs>>to&1 != 0 || to == int(s.MyMaster)) {
		return -1
	}
	return to
}

// Play returns the state after action a; see engine.State.
func (s State) Play(a engine.Action) State {
	cell, plane := int(a)/perCell, int(a)%perCell
	switch {
	case plane != planeRest:
		slot, d := plane/perSlot, plane%perSlot
		return s.movePawn(slot, cell, cell+int(shifts[d].by))
	case s.walling:
		return s.moveWall(cell)
	}
	return s.swap(cell - passes)
}

// movePawn implements the pawn move of sections 3.1, 3.2 and 4.
func (s State) movePawn(slot, from, to int) State {
	s.Move(from, to)
	if s.Won(target) {
		s.outcome = engine.WonBy(s.Mover)
		return s
	}
	return s.swap(slot)
}

// swap exchanges the card in a slot of the mover's hand with the side card (section 3.3). The card
// in the other slot does not change.
func (s State) swap(slot int) State {
	s.cards[slot], s.cards[sideway] = s.cards[sideway], s.cards[slot]
	s.walling = true
	return s
}

// moveWall implements the wall move of sections 3.4 and 3.5.
func (s State) moveWall(w int) State {
	to := s.wallTo(w)
	if s.Mine>>to&1 != 0 { // a soldier of the mover changes places with the wall
		s.Mine ^= 1<<to | 1<<s.wall
	}
	s.wall = uint8(to)
	s.left--
	if s.left == 0 {
		s.outcome = engine.Draw
	}
	return s.passed()
}

// passed returns the position with the other player to move. It need not rotate any card: a card in
// a hand is stored as its holder sees it, and the side card as the player who takes it will see it.
func (s State) passed() State {
	n := s
	n.walling, n.Mover = false, 1-s.Mover
	n.Mine, n.Theirs = fivebyfive.Rotate(s.Theirs), fivebyfive.Rotate(s.Mine)
	n.MyMaster, n.TheirMaster, n.wall = fivebyfive.Opposite(s.TheirMaster), fivebyfive.Opposite(s.MyMaster), fivebyfive.Opposite(s.wall)
	n.cards[0], n.cards[1], n.cards[2], n.cards[3] = s.cards[2], s.cards[3], s.cards[0], s.cards[1]
	return n
}
