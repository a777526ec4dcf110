package patterns

import (
	"fmt"

	"dojo.example/engine"
)

// Board says how the states of a game store a board. The board has a cell for each cell of the
// planes (Spec.Planes), in the same place.
type Board[S engine.State[S]] struct {
	// Kinds is the number of bitboards that Men returns: 2, or 4 if each player has two kinds of
	// men.
	Kinds int

	// Men returns the bitboards of a state.
	Men func(s S) Men

	// Bit returns the bit of the cell in column x and row y of the planes. Both count from 0. If Bit
	// is nil, the bit is y*W + x.
	Bit func(x, y int) int

	// Strikes reports whether p could win with one action if it were p's turn; see
	// [engine.Striker]. If it is nil, the features of actions say nothing about later actions.
	Strikes func(s S, p engine.Player) bool
}

// Men holds a bitboard for each kind of men. Bitboards 0 and 2 have the men of the player to move, and
// bitboards 1 and 3 the men of the other player. No two of them have a bit in common, and they have
// only the bits of cells.
type Men [4]uint64

// mine returns the cells with men of the player to move.
func (m Men) mine() uint64 { return m[0] | m[2] }

// theirs returns the cells with men of the other player.
func (m Men) theirs() uint64 { return m[1] | m[3] }

// Choose reads the option features of a game; see [engine.FeaturesOption]. For the value "expert", which is the default, it
// returns the rules as they are. For "none" it returns the rules without features, so that dojo
// derives features from the planes. For "patterns" it returns the result of [Describe].
func Choose[S engine.State[S]](set *engine.Settings, r engine.Rules[S], b Board[S], shapes ...[]Shape) engine.Rules[S] {
	switch set.Choice(engine.FeaturesOption, "expert", "none", "patterns") {
	case "none":
		return bare(r)
	case "patterns":
		return Describe(r, b, shapes...)
	}
	return r
}

// bare returns the rules without features.
func bare[S engine.State[S]](r engine.Rules[S]) engine.Rules[S] {
	r.Listing, r.FeatureGroups = &engine.Listing[S]{}, nil
	r.Features, r.ActiveFeatures, r.ActionFeatures, r.PerAction = 0, 0, 0, 0
	var all []engine.Symmetry
	for _, sym := range r.Symmetries {
		sym.Features, sym.ActionFeatures = nil, nil
		all = append(all, sym)
	}
	r.Symmetries = all
	return r
}

// Describe returns the rules with the features of this package instead of their own. A feature of a
// position is the content of a placement of one of the shapes. Each action has two features, which
// say what it changes; see the comment of actions. The features follow the symmetries of the rules.
//
// Describe panics if 16 bits cannot number the features, or if a symmetry does not move the
// placements to placements.
func Describe[S engine.State[S]](r engine.Rules[S], b Board[S], shapes ...[]Shape) engine.Rules[S] {
	r = bare(r)
	g := grid{width: r.Planes.W, height: r.Planes.H, kinds: b.Kinds, at: b.Bit}
	list, acts := newSet(g, shapes...), newActions(g, b)
	r.FeatureGroups = list.groups()
	r.Features, r.ActiveFeatures = list.count(), list.active()
	r.ActionFeatures, r.PerAction = actionFeatures, 2
	r.Listing = &engine.Listing[S]{
		Features: func(s *S, dst []uint16) []uint16 {
			men := b.Men(*s)
			return list.append(dst, &men)
		},
		ActionFeatures: acts.append,
	}
	for i := range r.Symmetries {
		sym := &r.Symmetries[i]
		to := cellsOf(r, *sym)
		sym.Features = r.FeatureGroups.Permute(list.image(to))
		sym.ActionFeatures = ringImage(to)
	}
	return r
}

// cellsOf returns how a symmetry moves the cells of the board.
func cellsOf[S engine.State[S]](r engine.Rules[S], sym engine.Symmetry) func(c cell) cell {
	return func(c cell) cell {
		element := int(sym.Planes[(c.y*r.Planes.W+c.x)*r.Planes.C])
		if element%r.Planes.C != 0 {
			panic(fmt.Sprintf("patterns: symmetry %s of %s does not keep the channels", sym.Name, r.Name))
		}
		to := element / r.Planes.C
		return cell{to % r.Planes.W, to / r.Planes.W}
	}
}
