package fivebyfive

import (
	"fmt"

	"dojo.example/engine"
)

// A View is a symmetry: the board mirrored left to right with the cards, or the cards of
// either hand exchanged, or several of these.
type View struct{ Mirror, Mine, Theirs bool }

// Layout is what symmetries permute. Cards are the first of four channels: one for each of
// my cards, then one for each of the other player's. The functions return where a view has
// an action and so on; see engine.Relabelling.
type Layout struct {
	Cards         []int
	Action        func(v View, a int) int
	Feature       func(v View, group, i int) (otherGroup, j int)
	ActionFeature func(v View, f int) int
}

// Symmetries returns all views but the plain one.
func (l Layout) Symmetries() (list []engine.Relabelling) {
	for i := 1; i < 8; i++ {
		v := View{i&1 != 0, i&2 != 0, i&4 != 0}
		list = append(list, engine.Relabelling{
			Name:          fmt.Sprintf("%+v", v),
			Element:       func(cell, channel int) (int, int) { return v.Cell(cell), v.Card(channel, l.Cards...) },
			Action:        func(a int) int { return l.Action(v, a) },
			Feature:       func(group, i int) (int, int) { return l.Feature(v, group, i) },
			ActionFeature: func(f int) int { return l.ActionFeature(v, f) },
		})
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
