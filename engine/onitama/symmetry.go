package onitama

import (
	"strings"

	"dojo/engine"
)

// A view is a symmetry: the board and every card mirrored left to right, or the
// cards of either hand exchanged, or several of these. Mirroring works even for cards
// whose image is not in the deck, because planes show cards by their moves.
type view struct{ mirror, mine, theirs bool }

// symmetries are all views but the plain one.
func symmetries() (list []engine.Symmetry) {
	for i := 1; i < 8; i++ {
		list = append(list, view{i&1 != 0, i&2 != 0, i&4 != 0}.symmetry())
	}
	return list
}

func (v view) symmetry() engine.Symmetry {
	sym := engine.Symmetry{
		Name:    v.name(),
		Planes:  make([]int32, cells*channels),
		Actions: make([]engine.Action, cells*perCell),
	}
	for cell := range cells {
		for ch := range channels {
			sym.Planes[cell*channels+ch] = int32(v.cell(cell)*channels + v.channel(ch))
		}
	}
	for a := range sym.Actions {
		sym.Actions[a] = v.action(engine.Action(a))
	}
	sym.Features = engine.PermuteFeatures(featureGroups, v.feature)
	for f := range actionFeatures {
		sym.ActionFeatures = append(sym.ActionFeatures, uint16(v.actionFeature(f)))
	}
	return sym
}

func (v view) name() string {
	var parts []string
	if v.mirror {
		parts = append(parts, "mirror")
	}
	if v.mine {
		parts = append(parts, "swap my cards")
	}
	if v.theirs {
		parts = append(parts, "swap their cards")
	}
	return strings.Join(parts, ", ")
}

// cell returns where the view has a cell. It works for displacements too.
func (v view) cell(cell int) int {
	if v.mirror {
		return cell - cell%side + side - 1 - cell%side
	}
	return cell
}

func (v view) channel(ch int) int {
	var first int // of the pair that is exchanged
	switch ch {
	case chCards, chCards + 1:
		first = chCards
	case chMyReach, chMyReach + 1:
		first = chMyReach
	case chCards + 2, chCards + 3:
		first = chCards + 2
	case chTheirReach, chTheirReach + 1:
		first = chTheirReach
	default:
		return ch
	}
	ofMine := first == chCards || first == chMyReach
	if ofMine && v.mine || !ofMine && v.theirs {
		return 2*first + 1 - ch
	}
	return ch
}

func (v view) action(a engine.Action) engine.Action {
	from, slot, by := int(a)/perCell, int(a)%perCell/perSlot, int(a)%perSlot
	if v.mine {
		slot = 1 - slot
	}
	if by != still { // to stay is to pass, which is tied to cell 0
		from, by = v.cell(from), v.cell(by)
	}
	return engine.Action(from*perCell + slot*perSlot + by)
}
