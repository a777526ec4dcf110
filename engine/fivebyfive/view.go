package fivebyfive

import (
	"fmt"

	"dojo.example/engine"
)

// View is a symmetry. It combines up to three operations: Mirror mirrors the board and the cards
// left to right, Mine exchanges the two cards of my hand, and Theirs exchanges the two cards of the
// opponent's hand.
type View struct{ Mirror, Mine, Theirs bool }

// Symmetries returns all symmetries of a game except the identity. For each View v it calls of(v),
// which must return the relabelling of the game's planes, actions and features.
func Symmetries(of func(v View) engine.Relabelling) (list []engine.Relabelling) {
	for i := 1; i < 8; i++ {
		v := View{i&1 != 0, i&2 != 0, i&4 != 0}
		symmetry := of(v)
		symmetry.Name = fmt.Sprintf("%+v", v)
		list = append(list, symmetry)
	}
	return list
}

// Cell returns the image of a cell under the view. An action stores a move's direction and distance
// as the cell that the move would reach from the middle of the board; Cell maps this number
// correctly too.
func (v View) Cell(cell int) int {
	if v.Mirror {
		return cell - cell%Side + Side - 1 - cell%Side
	}
	return cell
}

// Card returns the index to which the view moves item i of a list. Each index in firsts is the
// start of a block of four items: two for my cards, then two for the opponent's cards. Items
// outside these blocks do not move.
func (v View) Card(i int, firsts ...int) int {
	for _, first := range firsts {
		switch slot := i - first; {
		case v.Mine && (slot == 0 || slot == 1):
			return first + 1 - slot
		case v.Theirs && (slot == 2 || slot == 3):
			return first + 5 - slot
		}
	}
	return i
}
