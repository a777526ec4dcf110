package onitama

import (
	"slices"

	"dojo.example/engine/fivebyfive"
)

// A card is an index into the table of rule 2.
type card = uint8

const cards = 16

// A vector is a step of a card as first uses it: dx columns to the right and dy
// rows towards row 5.
type vector struct{ dx, dy int }

// deck is the table of rule 2; the order of the vectors is the referee's.
var deck = [cards]struct {
	name    string
	vectors []vector
}{
	{"eel", []vector{{-1, 1}, {-1, -1}, {1, 0}}},
	{"crane", []vector{{-1, -1}, {0, 1}, {1, -1}}},
	{"frog", []vector{{-2, 0}, {-1, 1}, {1, -1}}},
	{"horse", []vector{{-1, 0}, {0, 1}, {0, -1}}},
	{"boar", []vector{{-1, 0}, {0, 1}, {1, 0}}},
	{"rooster", []vector{{-1, -1}, {-1, 0}, {1, 0}, {1, 1}}},
	{"crab", []vector{{-2, 0}, {0, 1}, {2, 0}}},
	{"ox", []vector{{0, 1}, {0, -1}, {1, 0}}},
	{"cobra", []vector{{-1, 0}, {1, 1}, {1, -1}}},
	{"rabbit", []vector{{-1, -1}, {1, 1}, {2, 0}}},
	{"dragon", []vector{{-2, 1}, {-1, -1}, {1, -1}, {2, 1}}},
	{"monkey", []vector{{-1, 1}, {-1, -1}, {1, 1}, {1, -1}}},
	{"goose", []vector{{-1, 1}, {-1, 0}, {1, 0}, {1, -1}}},
	{"elephant", []vector{{-1, 1}, {-1, 0}, {1, 1}, {1, 0}}},
	{"mantis", []vector{{-1, 1}, {0, -1}, {1, 1}}},
	{"tiger", []vector{{0, -1}, {0, 2}}},
}

const (
	side   = fivebyfive.Side
	cells  = fivebyfive.Cells
	middle = cells / 2
	all    = fivebyfive.Full
)

// A board is a set of cells, bit y*5+x; row 1 is y = 0 and column A is x = 0,
// seen by the player to move.
type board = fivebyfive.Board

// targets are the cells to which a card takes a man, by the man's cell. From gone it takes
// him nowhere.
type targets [gone + 1]board

// reach has the targets of the cards for the mover, back those for the other player.
var reach, back = tables()

func tables() (reach, back [cards]targets) {
	for c := range reach {
		for cell := range cells {
			for _, v := range deck[c].vectors {
				reach[c][cell] |= step(cell, v.dx, v.dy)
				back[c][cell] |= step(cell, -v.dx, -v.dy)
			}
		}
	}
	return reach, back
}

// mirrorImage[c] is the mirror image of card c, which is in the deck too (rule 2).
var mirrorImage = func() (image [cards]card) {
	for c := range reach {
		var want board
		for _, v := range deck[c].vectors {
			want |= step(middle, -v.dx, v.dy)
		}
		image[c] = card(slices.IndexFunc(reach[:], func(t targets) bool { return t[middle] == want }))
	}
	return image
}()

// step returns the cell that is a vector away, or no cell if that is off the board.
func step(cell, dx, dy int) board {
	x, y := cell%side+dx, cell/side+dy
	if x < 0 || y < 0 || x >= side || y >= side {
		return 0
	}
	return 1 << (y*side + x)
}
