package wallonitama

import "math/bits"

const (
	side  = 5
	cells = side * side
)

// A board is a set of cells, bit row*5+column; row 0 is the far one, seen by
// the player to move.
type board = uint32

const full board = 1<<cells - 1

// A card is what section 2 describes: crosses, and a circle that may lie
// anywhere, in the view of whoever holds it. A cross under the circle is none.
type card struct {
	crosses board
	circle  uint8
}

// columns[d+4] is the cells whose column plus d is on the board.
var columns = func() (all [9]board) {
	for d := range all {
		for cell := range cells {
			if x := cell%side + d - 4; x >= 0 && x < side {
				all[d] |= 1 << cell
			}
		}
	}
	return all
}()

// from is where the card takes a man on a cell.
func (c card) from(cell int) board {
	dx := cell%side - int(c.circle)%side
	dy := cell/side - int(c.circle)/side
	kept := c.crosses & columns[dx+4]
	if shift := dy*side + dx; shift >= 0 {
		return kept << shift & full
	} else {
		return kept >> -shift
	}
}

// reach is where the card takes any of the men.
func (c card) reach(men board) (to board) {
	for ; men != 0; men &= men - 1 {
		to |= c.from(bits.TrailingZeros32(men))
	}
	return to
}

// turned is the card as it looks from the other side.
func (c card) turned() card {
	return card{rotate(c.crosses), cells - 1 - c.circle}
}

// rotate is the board seen from the other side.
func rotate(b board) board { return bits.Reverse32(b) >> (32 - cells) }
