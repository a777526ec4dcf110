package onitama

import (
	"slices"

	"dojo.example/engine/fivebyfive"
)

// card is the index of a card in the table of rule 2 in rules.md.
type card = uint8

const cards = 16

// vector is one of the steps that a card allows, as First uses the card: dx columns to the right
// and dy rows towards row 5.
type vector struct{ dx, dy int }

// deck is the table of rule 2 in rules.md. The vectors of a card are in the order of CodinGame's
// referee.
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

// board is a set of cells from the perspective of the player to move. Bit y*5+x stands for the cell
// in column x and row y: x = 0 is column A, and y = 0 is row 1.
type board = fivebyfive.Board

// targets lists, for each cell, the cells that a man on this cell can reach with one particular
// card. The entry for gone is empty.
type targets [gone + 1]board

// reach holds the targets of each card if the player to move uses it, and back holds the targets of
// each card if the opponent uses it.
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

// mirrorImage[c] is the card whose vectors are the vectors of card c mirrored left to right. The
// deck contains such a card for every card (rule 2).
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

// step returns the cell that is dx columns and dy rows away from the given cell. It returns an
// empty board if there is no such cell.
func step(cell, dx, dy int) board {
	x, y := cell%side+dx, cell/side+dy
	if x < 0 || y < 0 || x >= side || y >= side {
		return 0
	}
	return 1 << (y*side + x)
}
