package fivebyfive

import (
	"strings"

	"dojo/engine"
)

// A View is a symmetry: the board mirrored left to right with the cards, or the cards of
// either hand exchanged, or several of these.
type View struct{ Mirror, Mine, Theirs bool }

// Layout is what symmetries permute. Actions have numbers below Actions, and Action
// returns where a view has one. Cards are the first of four channels: one for each of my
// cards, then one for each of the other player's.
type Layout struct {
	Channels, Actions int
	Cards             []int
	Action            func(v View, a engine.Action) engine.Action
	Groups            engine.FeatureGroups
	Feature           func(v View, group, i int) (otherGroup, j int) // see engine.PermuteFeatures
	ActionFeatures    int                                            // how many there are
	ActionFeature     func(v View, f int) int                        // where a view has one
}

// Symmetries returns all views but the plain one.
func (l Layout) Symmetries() (list []engine.Symmetry) {
	for i := 1; i < 8; i++ {
		v := View{i&1 != 0, i&2 != 0, i&4 != 0}
		sym := engine.Symmetry{
			Name:     v.name(),
			Planes:   make([]int32, Cells*l.Channels),
			Actions:  make([]engine.Action, l.Actions),
			Features: l.Groups.Permute(func(group, i int) (int, int) { return l.Feature(v, group, i) }),
		}
		for e := range sym.Planes {
			cell, channel := e/l.Channels, e%l.Channels
			sym.Planes[e] = int32(v.Cell(cell)*l.Channels + v.Card(channel, l.Cards...))
		}
		for a := range sym.Actions {
			sym.Actions[a] = l.Action(v, engine.Action(a))
		}
		for f := range l.ActionFeatures {
			sym.ActionFeatures = append(sym.ActionFeatures, uint16(l.ActionFeature(v, f)))
		}
		list = append(list, sym)
	}
	return list
}

func (v View) name() string {
	var parts []string
	for _, part := range []struct {
		on   bool
		name string
	}{{v.Mirror, "mirror"}, {v.Mine, "swap my cards"}, {v.Theirs, "swap their cards"}} {
		if part.on {
			parts = append(parts, part.name)
		}
	}
	return strings.Join(parts, ", ")
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
