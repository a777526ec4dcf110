// Package wallonitama has the rules of Onitama with a wall, as in
// rules.md, whose sections this package cites. A turn is two
// actions of one player: a pawn moves, then the wall. Cards are any 5×5
// pattern.
//
// A State has the position from the side of the player to move, with the other
// player's men at row 0; the board is rotated when the turn passes.
package wallonitama

import (
	_ "embed"
	"math/bits"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// The rules as people read them.
var (
	//go:embed rules.md
	english string
	//go:embed rules.vi.md
	vietnamese string
)

// Rules is the game with a limit of 50 turns.
var Rules = New("wallonitama", 50)

// Configured returns the game with the option turns, the limit of turns.
func Configured(name string, set *engine.Settings) engine.Rules[State] {
	return New(name, uint8(set.Int("turns", 50, 1, maxTurns)))
}

// New returns the game with a limit of turns, each of one player (section 4).
func New(name string, turns uint8) engine.Rules[State] {
	return engine.Rules[State]{
		Spec: engine.Spec{
			Name:     name,
			Version:  1,
			MaxText:  192,
			Actions:  cells * perCell,
			Planes:   engine.Shape{C: channels, H: side, W: side},
			MaxPlies: 2 * maxTurns,
			MaxLegal: 2 * 5 * (cells - 5), // two cards, five men, and no cell of a man of one's own

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

// maxTurns is the largest limit of turns.
const maxTurns = 200

// State is a position. Cells and cards are seen by the player to move.
type State struct {
	fivebyfive.Sides // all pawns; the generals are the masters
	wall             uint8
	cards            [5]card // the mover's two, the other's two, the side card
	left             uint8   // turns, counting this one
	walling          bool    // the pawn has moved, the wall is due
	outcome          engine.Outcome
}

const (
	gone    = fivebyfive.Gone
	base    = 22 // the mover's; e3 for A
	target  = 2  // the other's
	sideway = 4  // index of the side card in State.cards
)

// An action is cell*163 + plane. A plane is a slot and a displacement of up to four
// rows and columns, for the pawn on the cell. The last plane has the wall's five actions
// on cells 0 to 4, and on cells 5 and 6 the choice of a card by a player without a pawn
// move.
const (
	reachSide = 9
	perSlot   = reachSide * reachSide
	planeRest = 2 * perSlot
	perCell   = planeRest + 1
	passes    = 5 // the cell of the first card
)

// The wall's actions, in order; directions are seen by the mover.
const (
	up = iota
	left
	down
	right
	stay
)

// steps are those of the wall's actions, as indices of shifts.
var steps = [...]int{up: perSlot/2 - reachSide, left: perSlot/2 - 1, down: perSlot/2 + reachSide, right: perSlot/2 + 1, stay: perSlot / 2}

func pawnAction(slot, from, to int) engine.Action {
	return engine.Action(from*perCell + slot*perSlot + perSlot/2 + wide[to] - wide[from])
}

func restAction(cell int) engine.Action { return engine.Action(cell*perCell + planeRest) }

// Outcome reports how the game ended; see engine.State.
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
	blocked := s.Mine | 1<<s.wall // 3.1
	for men := s.Mine; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		for slot := range 2 {
			for to := s.cards[slot].from(from) &^ blocked; to != 0; to &= to - 1 {
				dst = append(dst, pawnAction(slot, from, bits.TrailingZeros32(to)))
			}
		}
	}
	if len(dst) == n { // no pawn move with either card
		dst = append(dst, restAction(passes), restAction(passes+1))
	}
	return dst
}

// wallTo returns where an action takes the wall, or -1 if it is not legal (3.4).
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

// Play returns the state after a; see engine.State.
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

// movePawn implements sections 3.1, 3.2 and 4.
func (s State) movePawn(slot, from, to int) State {
	s.Move(from, to)
	if s.Won(target) {
		s.outcome = engine.WonBy(s.Mover)
		return s
	}
	return s.swap(slot)
}

// swap implements section 3.3: a slot keeps its number.
func (s State) swap(slot int) State {
	s.cards[slot], s.cards[sideway] = s.cards[sideway], s.cards[slot]
	s.walling = true
	return s
}

// moveWall implements sections 3.4 and 3.5.
func (s State) moveWall(w int) State {
	to := s.wallTo(w)
	if s.Mine>>to&1 != 0 { // an own soldier changes places with it
		s.Mine ^= 1<<to | 1<<s.wall
	}
	s.wall = uint8(to)
	s.left--
	if s.left == 0 {
		s.outcome = engine.Draw
	}
	return s.passed()
}

// passed returns the position with the turn passed to the other player. Cards are stored as
// their holders see them, and the side card as the player who takes it will, so no card turns.
func (s State) passed() State {
	n := s
	n.walling, n.Mover = false, 1-s.Mover
	n.Mine, n.Theirs = fivebyfive.Rotate(s.Theirs), fivebyfive.Rotate(s.Mine)
	n.MyMaster, n.TheirMaster, n.wall = fivebyfive.Opposite(s.TheirMaster), fivebyfive.Opposite(s.MyMaster), fivebyfive.Opposite(s.wall)
	n.cards[0], n.cards[1], n.cards[2], n.cards[3] = s.cards[2], s.cards[3], s.cards[0], s.cards[1]
	return n
}
