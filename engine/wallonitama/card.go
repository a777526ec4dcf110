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

// board is a set of cells from the perspective of the player to move. Bit row*5+column stands for
// the cell in that row and column. Row 0 is the row that is farthest from the player.
type board = fivebyfive.Board

// card is a card from the perspective of its holder. A card has some crosses and one circle; each
// is on any cell of a 5×5 pattern (section 2 of rules.md). A cross on the same cell as the circle
// does not count.
type card struct {
	crosses board
	circle  uint8
}

// shift describes one step in a form that moves all men of a board at the same time. The set from
// holds the cells from which a man can make the step without leaving the board.
type shift struct {
	from board
	by   int8 // number of bits to shift left; negative to shift right
}

// shifts lists all steps of up to four columns and rows in each direction. The step of dx columns
// and dy rows has the index (dy+4)*9 + dx+4, as in the number of an action.
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

// wide[c] is the number that cell c would have on a board with nine columns. The step from one cell
// to another has the index wide[to] - wide[from] + perSlot/2 in shifts.
var wide = func() (all [cells]int) {
	for cell := range all {
		all[cell] = cell/side*reachSide + cell%side
	}
	return all
}()

// from returns the cells that a man on the given cell can reach with the card.
func (c card) from(cell int) board {
	by := &shifts[perSlot/2+wide[cell]-wide[c.circle]]
	return bits.RotateLeft32(c.crosses&by.from, int(by.by)) // shifts right if by is negative; no bit wraps around, because from leaves out such cells
}

// reach returns the cells that at least one of the men can reach with the card.
func (c card) reach(men board) (to board) {
	for ; men != 0; men &= men - 1 {
		to |= c.from(bits.TrailingZeros32(men))
	}
	return to
}

// turned returns the card as the opposite player sees it, rotated by half a turn.
func (c card) turned() card {
	return card{fivebyfive.Rotate(c.crosses), cells - 1 - c.circle}
}
