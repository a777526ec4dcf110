// Package fivebyfive has what Onitama and its variant with a wall share: the board of five
// rows and five columns, the men on it, and its symmetries. Cell row*5+column is a bit of a
// Board. The games count rows from different sides.
//
// The board is seen by the player to move. It is rotated when the turn passes, so that
// both players move in the same direction.
package fivebyfive

import (
	"fmt"
	"math/bits"
	"strings"

	"dojo/engine"
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

// Men returns the number of men on the board; see engine.Counter.
func (s Sides) Men() int { return bits.OnesCount32(s.Mine | s.Theirs) }

// Late reports whether at most six men are left, when most games against strong programs
// are lost; see engine.LateReporter.
func (s Sides) Late() bool { return s.Men() <= 6 }

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

// Letters are how a game writes men: by player, the master and then another man.
type Letters [2]string

// Man returns what stands on an absolute cell, or a dot.
func (s *Sides) Man(cell int, letters Letters) byte {
	at := s.Absolute(cell)
	player, master := s.Mover, s.MyMaster
	switch {
	case s.Mine>>at&1 != 0:
	case s.Theirs>>at&1 != 0:
		player, master = 1-s.Mover, s.TheirMaster
	default:
		return '.'
	}
	if at == int(master) {
		return letters[player][0]
	}
	return letters[player][1]
}

// Row returns row y of the board with the men on it.
func Row(y int, man func(cell int) byte) string {
	var line [Side]byte
	for x := range line {
		line[x] = man(y*Side + x)
	}
	return string(line[:])
}

// Put places a man of First as the mover's, or of Second as the other's. known is false if
// no man has that letter. name names a cell.
func (s *Sides) Put(man byte, cell int, letters Letters, name func(cell int) string) (known bool, err error) {
	for p, men := range [2]*Board{&s.Mine, &s.Theirs} {
		kind := strings.IndexByte(letters[p], man)
		if kind < 0 {
			continue
		}
		if master := [2]*uint8{&s.MyMaster, &s.TheirMaster}[p]; kind == 0 {
			if *master != Gone {
				return true, fmt.Errorf("the board has two %c, on %s and %s", man, name(int(*master)), name(cell))
			}
			*master = uint8(cell)
		}
		*men |= 1 << cell
		return true, nil
	}
	return false, nil
}

// ReadRows calls put for every cell of five rows of text: row i of the text, column x. The
// labels name the rows.
func ReadRows(rows []string, labels string, put func(man byte, i, x int) error) error {
	if len(rows) != Side {
		return fmt.Errorf("the board has %d rows, want %d", len(rows), Side)
	}
	for i, row := range rows {
		if len(row) != Side {
			return fmt.Errorf("row %c %q has %d cells, want %d", labels[i], row, len(row), Side)
		}
		for x := range Side {
			if err := put(row[x], i, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// Names returns the names of all cells.
func Names(name func(cell int) string) (names []string) {
	for cell := range Cells {
		names = append(names, name(cell))
	}
	return names
}

// Spaced puts blanks between the cells of a row.
func Spaced(row string) string { return strings.Join(strings.Split(row, ""), " ") }
