package fivebyfive

import (
	"fmt"

	"dojo.example/engine"
)

// A View is a symmetry: the board mirrored left to right with the cards, or the cards of
// either hand exchanged, or several of these.
type View struct{ Mirror, Mine, Theirs bool }

// Symmetries returns all views but the plain one, as a game has them.
func Symmetries(of func(v View) engine.Relabelling) (list []engine.Relabelling) {
	for i := 1; i < 8; i++ {
		v := View{i&1 != 0, i&2 != 0, i&4 != 0}
		symmetry := of(v)
		symmetry.Name = fmt.Sprintf("%+v", v)
		list = append(list, symmetry)
	}
	return list
}

// Cell returns where the view has a cell. It works for displacements too.
func (v View) Cell(cell int) int {
	if v.Mirror {
		return cell - cell%Side + Side - 1 - cell%Side
	}
	return cell
}

// Card returns where the view has item i. At each of firsts begin four items: one for each
// of my cards, then one for each of the other player's.
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
