package othello

import (
	"slices"

	"dojo.example/engine"
	"dojo.example/engine/patterns"
)

// Configured returns the game with the option features, which chooses what a sparse network reads:
// "expert" for the features of this package, "none" for features that dojo derives from the planes,
// and "patterns" for features of cells and corners; see [patterns.Choose].
func Configured(name string, set *engine.Settings) engine.Rules[State] {
	r := Rules
	r.Name = name
	return patterns.Choose(set, r, patterns.Board[State]{
		Men:     State.men,
		Reach:   State.reach,
		Corners: slices.Concat(patterns.Line(4), patterns.Block(2, 2)),
	})
}

// men returns the viewer's discs and the other player's discs.
func (b State) men(viewer engine.Player) (mine, theirs uint64) {
	return b.seenBy(viewer, b.mine, b.theirs)
}

// reach returns the cells where the viewer could play a disc, and those where the other player could.
func (b State) reach(viewer engine.Player) (mine, theirs uint64) {
	return b.seenBy(viewer, b.moves, movesOf(b.theirs, b.mine))
}

// seenBy returns the sets in the order viewer, other player. The sets mine and theirs belong to the
// player to move and to the opponent.
func (b State) seenBy(viewer engine.Player, mine, theirs uint64) (uint64, uint64) {
	if viewer == b.mover {
		return mine, theirs
	}
	return theirs, mine
}
