// Package fivebyfive has what Onitama and its variant with a wall share: the board of five
// rows and five columns, the men on it, and its symmetries. Cell row*5+column is a bit of a
// Board. The games count rows from different sides.
//
// The board is seen by the player to move. It is rotated when the turn passes, so that
// both players move in the same direction.
package fivebyfive

import (
	"math/bits"
	"strings"

	"dojo.example/engine"
)

const (
	Side  = 5
	Cells = Side * Side
	Gone  = Cells // the cell of a captured master

	Full Board = 1<<Cells - 1
)

// A Board is a set of cells.
type Board = uint32

// Rotate returns the board as seen from the other side.
func Rotate(b Board) Board { return bits.Reverse32(b) >> (32 - Cells) }

// Opposite returns a cell, or Gone, as seen from the other side.
func Opposite(cell uint8) uint8 {
	if cell == Gone {
		return Gone
	}
	return Cells - 1 - cell
}

// Pair returns two boards as neighbouring groups of features.
func Pair(low, high Board) uint64 { return uint64(low) | uint64(high)<<Cells }

// Sides are the men of both players: one master (the general, in the variant with a wall)
// and the others.
type Sides struct {
	Mine, Theirs          Board // all men
	MyMaster, TheirMaster uint8 // a cell, or Gone
	Mover                 engine.Player
}

// ToMove is the player who acts next; see engine.State.
func (s Sides) ToMove() engine.Player { return s.Mover }

// Men returns the number of men on the board.
func (s Sides) Men() int { return bits.OnesCount32(s.Mine | s.Theirs) }

// Late reports whether at most six men are left, when most games against strong programs
// are lost; see engine.LateReporter.
func (s Sides) Late() bool { return s.Men() <= 6 }

// Heuristic returns the difference in men; see engine.Heuristic.
func (s Sides) Heuristic() int {
	return (bits.OnesCount32(s.Mine) - bits.OnesCount32(s.Theirs)) * int(s.Mover.Sign())
}

// Evaluate counts men, and cells that a side's cards reach, from First's side in hundredths
// of a man. more is added to the mover's side.
func (s *Sides) Evaluate(mine, theirs Board, more int) int {
	const mobility = 3
	men := bits.OnesCount32(s.Mine) - bits.OnesCount32(s.Theirs)
	moves := bits.OnesCount32(mine&^s.Mine) - bits.OnesCount32(theirs&^s.Theirs)
	return (100*men + mobility*moves + more) * int(s.Mover.Sign())
}

// Move moves a man of the mover and takes what stands there.
func (s *Sides) Move(from, to int) {
	s.Mine ^= 1<<from | 1<<to
	s.Theirs &^= 1 << to
	if from == int(s.MyMaster) {
		s.MyMaster = uint8(to)
	}
	if to == int(s.TheirMaster) {
		s.TheirMaster = Gone
	}
}

// Won reports whether the mover has taken the other's master or has brought his own to a
// cell.
func (s *Sides) Won(goal uint8) bool { return s.TheirMaster == Gone || s.MyMaster == goal }

// Passed returns the position with the turn passed to the other player.
func (s Sides) Passed() Sides {
	return Sides{Rotate(s.Theirs), Rotate(s.Mine), Opposite(s.TheirMaster), Opposite(s.MyMaster), 1 - s.Mover}
}

// What a move does: flags and, in units of PerAttack, what the man attacks from where it has
// gone to, which is nothing, a man or the master.
const (
	Covered = 1 << iota // the other's cards reach the cell that the man goes to
	Takes
	Master
	Escapes // the other's cards reach the cell that the man leaves
	PerAttack
	MoveFeatures = 3 * PerAttack
)

// MoveFeature returns what a move of the mover does, if the other's cards reach the cells of covered
// and the man then attacks those of attacked. It has no branches, which would often be
// mispredicted.
func (s *Sides) MoveFeature(from, to uint8, covered, attacked Board) uint16 {
	from, to = from&31, to&31 // which says that shifts stay within a word
	attack := (attacked|-attacked)>>31 + attacked>>(s.TheirMaster&31)&1
	master := Board(1) << (s.MyMaster & 31)
	return uint16(attack*PerAttack + covered>>to&1*Covered + s.Theirs>>to&1*Takes + master>>from&1*Master + covered>>from&1*Escapes)
}

// Swapped exchanges the hands among the cards of a game: the mover's two, the other's two,
// and the one between turns.
func Swapped[C any](c [5]C) [5]C { return [5]C{c[2], c[3], c[0], c[1], c[4]} }

// Hands returns the cards of First, those of Second, and the one between turns.
func Hands[C any](mover engine.Player, cards [5]C) [5]C {
	if mover == engine.Second {
		return Swapped(cards)
	}
	return cards
}

// Masters returns the masters as boards, empty if captured.
func (s *Sides) Masters() (my, their Board) {
	return Board(1) << s.MyMaster & Full, Board(1) << s.TheirMaster & Full
}

// Absolute converts a cell of the mover's view to the board that both players see, which
// is First's view, and back.
func (s *Sides) Absolute(cell int) int {
	if s.Mover == engine.Second {
		return Cells - 1 - cell
	}
	return cell
}

// Sets returns the cells of First's master, of his other men, and those of Second, as both
// players see the board.
func (s Sides) Sets() []uint64 {
	if s.Mover == engine.Second {
		s = s.Passed()
	}
	my, their := s.Masters()
	return []uint64{uint64(my), uint64(s.Mine &^ my), uint64(their), uint64(s.Theirs &^ their)}
}

// Read reads the rows of a board, with First to move. The letters are those of Sets, and then
// others. It also returns the sets of all letters. Those of the upper-case letters have a cell at
// most.
func Read(r *engine.TextReader, l *engine.Lettering, rows []string) (s Sides, sets []uint64) {
	sets = l.Read(r, rows)
	for i, set := range sets {
		if rest := set & (set - 1); rest != 0 && l.Letters[i] < 'a' {
			r.Fail("the board has two %c, on %s and %s", l.Letters[i], l.Name(bits.TrailingZeros64(set)), l.Name(bits.TrailingZeros64(rest)))
		}
	}
	master := func(set uint64) uint8 { return uint8(min(bits.TrailingZeros64(set), Gone)) }
	return Sides{Mine: Board(sets[0] | sets[1]), Theirs: Board(sets[2] | sets[3]), MyMaster: master(sets[0]), TheirMaster: master(sets[2])}, sets
}

// Winner returns who has won on a board that was read, with First to move and the masters'
// bases of First and Second, or Ongoing.
func (s *Sides) Winner(first, second uint8) engine.Outcome {
	switch {
	case s.MyMaster == Gone:
		return engine.SecondWins
	case s.MyMaster == second || s.TheirMaster == Gone:
		return engine.FirstWins
	case s.TheirMaster == first:
		return engine.SecondWins
	}
	return engine.Ongoing
}

// Names returns the names of all cells.
func Names(l engine.Lettering) (names []string) {
	for cell := range Cells {
		names = append(names, l.Name(cell))
	}
	return names
}

// Spaced puts blanks between the cells of a row.
func Spaced(row string) string { return strings.Join(strings.Split(row, ""), " ") }
