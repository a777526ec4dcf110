package wallonitama

import (
	"math/bits"

	"dojo.example/engine/fivebyfive"
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

// A shift moves what is on a board by one step. Only the cells of from stay on the board.
type shift struct {
	from board
	by   int8 // bits, to the left
}

// shifts are the steps of up to four columns and rows either way, as in
// actions: step (dx, dy) is (dy+4)*9 + dx+4.
var shifts = func() (all [perSlot]shift) {
	for d := range all {
		dx, dy := d%reachSide-4, d/reachSide-4
		for cell := range cells {
			if x, y := cell%side+dx, cell/side+dy; x >= 0 && x < side && y >= 0 && y < side {
				all[d].from |= 1 << cell
			}
		}
		all[d].by = int8(dy*side + dx)
	}
	return all
}()

// wide is a cell's number on a board of nine columns: the step from one cell
// to another is wide[to] - wide[from] + perSlot/2.
var wide = func() (all [cells]int) {
	for cell := range all {
		all[cell] = cell/side*reachSide + cell%side
	}
	return all
}()

// from returns the cells to which the card takes a man from a cell.
func (c card) from(cell int) board {
	by := &shifts[perSlot/2+wide[cell]-wide[c.circle]]
	return bits.RotateLeft32(c.crosses&by.from, int(by.by)) // shifts either way; no bit wraps around
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
