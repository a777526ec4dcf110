// Package fivebyfive contains what Onitama and its variant with a wall have in common: the board of
// five rows and five columns, the men on it, and the symmetries of the board. Cell row*5+column is
// a bit of a Board. The two games number the rows from opposite sides.
//
// The board is seen from the side of the player to move. It is rotated when the turn passes, so
// that both players move in the same direction.
package fivebyfive

import (
	"math/bits"
	"strings"

	"dojo.example/engine"
)

const (
	Side  = 5
	Cells = Side * Side
	Gone  = Cells // value of Sides.MyMaster or TheirMaster after that master was captured

	Full Board = 1<<Cells - 1
)

// Board is a set of cells.
type Board = uint32

// Rotate returns the board as seen from the opposite side.
func Rotate(b Board) Board { return bits.Reverse32(b) >> (32 - Cells) }

// Opposite returns a cell as seen from the opposite side. Gone stays Gone.
func Opposite(cell uint8) uint8 {
	if cell == Gone {
		return Gone
	}
	return Cells - 1 - cell
}

// Pair combines two boards into one word, with low in the low bits and high in the bits above them.
// One call of AppendFeatures can then append the features of two adjacent groups.
func Pair(low, high Board) uint64 { return uint64(low) | uint64(high)<<Cells }

// Sides holds the men of both players. Each player has one master (called general in the variant
// with a wall) and other men. Mine and My refer to the player to move, Theirs and Their to the
// opponent.
type Sides struct {
	Mine, Theirs          Board // all men, including the master
	MyMaster, TheirMaster uint8 // cell of the master, or Gone
	Mover                 engine.Player
}

// ToMove returns the player who acts next; see engine.State.
func (s Sides) ToMove() engine.Player { return s.Mover }

// Men returns the number of men on the board.
func (s Sides) Men() int { return bits.OnesCount32(s.Mine | s.Theirs) }

// Late reports whether at most six men are left; see engine.LateReporter. Most games that are lost
// against strong programs are lost in this phase.
func (s Sides) Late() bool { return s.Men() <= 6 }

// Heuristic returns First's number of men minus Second's; see engine.Heuristic.
func (s Sides) Heuristic() int {
	return (bits.OnesCount32(s.Mine) - bits.OnesCount32(s.Theirs)) * int(s.Mover.Sign())
}

// Evaluate returns a static evaluation in hundredths of a man; it is positive if First is ahead. It
// counts men and mobility. The board mine holds the cells that the player to move can reach with
// his cards, and theirs holds the cells that the opponent can reach. The parameter "more" is a
// bonus for the player to move, in hundredths of a man.
func (s *Sides) Evaluate(mine, theirs Board, more int) int {
	const mobility = 3
	men := bits.OnesCount32(s.Mine) - bits.OnesCount32(s.Theirs)
	moves := bits.OnesCount32(mine&^s.Mine) - bits.OnesCount32(theirs&^s.Theirs)
	return (100*men + mobility*moves + more) * int(s.Mover.Sign())
}

// Move moves a man of the player to move. If an opponent's man is on the target cell, Move captures
// it.
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

// Won reports whether the player to move has captured the opponent's master or has brought his own
// master to the goal cell.
func (s *Sides) Won(goal uint8) bool { return s.TheirMaster == Gone || s.MyMaster == goal }

// Passed returns the position with the other player to move.
func (s Sides) Passed() Sides {
	return Sides{Rotate(s.Theirs), Rotate(s.Mine), Opposite(s.TheirMaster), Opposite(s.MyMaster), 1 - s.Mover}
}

// These constants make up the result of MoveFeature: the sum of the flags that apply to the move,
// plus PerAttack times a number for what the man attacks from its new cell (0: nothing, 1: a man,
// 2: the master).
const (
	Covered = 1 << iota // an opponent's card reaches the cell that the man moves to
	Takes               // the move captures a man
	Master              // the moving man is the master
	Escapes             // an opponent's card reaches the cell that the man leaves
	PerAttack
	MoveFeatures = 3 * PerAttack
)

// MoveFeature returns a number that describes a move by the player to move; see Covered. The
// parameter covered is the set of cells that the opponent's cards reach, and attacked is the set of
// cells that the man attacks after the move. The function has no branches, because the processor
// would often mispredict them.
func (s *Sides) MoveFeature(from, to uint8, covered, attacked Board) uint16 {
	from, to = from&31, to&31 // so the compiler knows that shifts stay within a word
	attack := (attacked|-attacked)>>31 + attacked>>(s.TheirMaster&31)&1
	master := Board(1) << (s.MyMaster & 31)
	return uint16(attack*PerAttack + covered>>to&1*Covered + s.Theirs>>to&1*Takes + master>>from&1*Master + covered>>from&1*Escapes)
}

// Swapped exchanges the hands of the two players. The array c holds the two cards of the player to
// move, the two cards of the opponent, and the card between the hands, in this order.
func Swapped[C any](c [5]C) [5]C { return [5]C{c[2], c[3], c[0], c[1], c[4]} }

// Hands returns the two cards of First, the two cards of Second, and the card between the hands.
func Hands[C any](mover engine.Player, cards [5]C) [5]C {
	if mover == engine.Second {
		return Swapped(cards)
	}
	return cards
}

// Masters returns two boards: one with the cell of my master and one with the cell of the
// opponent's master. The board of a captured master is empty.
func (s *Sides) Masters() (my, their Board) {
	return Board(1) << s.MyMaster & Full, Board(1) << s.TheirMaster & Full
}

// Absolute converts a cell from the perspective of the player to move to First's perspective. The
// same function converts back.
func (s *Sides) Absolute(cell int) int {
	if s.Mover == engine.Second {
		return Cells - 1 - cell
	}
	return cell
}

// Sets returns four sets of cells, from First's perspective: First's master, First's other men,
// Second's master, Second's other men.
func (s Sides) Sets() []uint64 {
	if s.Mover == engine.Second {
		s = s.Passed()
	}
	my, their := s.Masters()
	return []uint64{uint64(my), uint64(s.Mine &^ my), uint64(their), uint64(s.Theirs &^ their)}
}

// Read parses the rows of a board, with First to move. The first four letters of l stand for the
// four sets that the method Sets returns; further letters may follow. The result sets holds one set
// of cells for each letter of l. An upper-case letter may occur only once on the board.
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

// Winner returns the winner on a board that was parsed with First to move. It returns Ongoing if
// nobody has won. The arguments first and second are the home cells of the two masters.
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

// Spaced inserts a space between the cells of a row; row has one character per cell.
func Spaced(row string) string { return strings.Join(strings.Split(row, ""), " ") }
