package fivebyfive

import (
	"fmt"

	"dojo.example/engine"
)

// View is a symmetry. It mirrors the board and the cards left to right, or exchanges the two cards
// of my hand or of the opponent's hand, or combines these operations.
type View struct{ Mirror, Mine, Theirs bool }

// Symmetries returns all symmetries except the identity. The function of converts a view to a
// relabelling for a game.
func Symmetries(of func(v View) engine.Relabelling) (list []engine.Relabelling) {
	for i := 1; i < 8; i++ {
		v := View{i&1 != 0, i&2 != 0, i&4 != 0}
		symmetry := of(v)
		symmetry.Name = fmt.Sprintf("%+v", v)
		list = append(list, symmetry)
	}
	return list
}

// Cell returns the image of a cell under the view. It also works for displacements within an
// action.
func (v View) Cell(cell int) int {
	if v.Mirror {
		return cell - cell%Side + Side - 1 - cell%Side
	}
	return cell
}

// Card returns the image of item i under the view. At each number in firsts, a block of four items
// begins: two for my cards, then two for the opponent's cards. Items outside these blocks do not
// change.
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
