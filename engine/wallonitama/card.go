package wallonitama

import (
	"math/bits"

	"dojo/engine/fivebyfive"
)

const (
	side  = fivebyfive.Side
	cells = fivebyfive.Cells
	full  = fivebyfive.Full
)

// A board is a set of cells, bit row*5+column; row 0 is the far one, seen by
// the player to move.
type board = fivebyfive.Board

// A card has crosses and a circle, which may lie anywhere (section 2), as its holder
// sees them. A cross under the circle does not count.
type card struct {
	crosses board
	circle  uint8
}

// columns[d+4] are the cells whose column plus d is on the board.
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

// from returns the cells to which the card takes a man from a cell.
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

// reach returns the cells to which the card takes any of the men.
func (c card) reach(men board) (to board) {
	for ; men != 0; men &= men - 1 {
		to |= c.from(bits.TrailingZeros32(men))
	}
	return to
}

// turned returns the card as seen from the other side.
func (c card) turned() card {
	return card{fivebyfive.Rotate(c.crosses), cells - 1 - c.circle}
}
