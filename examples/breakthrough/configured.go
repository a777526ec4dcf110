package breakthrough

import (
	"math/bits"

	"dojo.example/engine"
	"dojo.example/engine/patterns"
)

// Configured returns the game with the option features, which chooses what a sparse network reads:
// "expert" for the features of this package, "none" for features that dojo derives from the planes,
// and "patterns" for features that follow from where men can move; see [patterns.Choose].
func Configured(name string, set *engine.Settings) engine.Rules[State] {
	r := Rules
	r.Name = name
	return patterns.Choose(set, r, patterns.Board[State]{
		Men:     State.men,
		Reach:   State.reach,
		Strikes: State.strikes,
	})
}

// seenBy returns two sets of cells in the order viewer, other player, on the board as the viewer sees
// it. The sets mine and theirs belong to the player to move and to the opponent, on the board as the
// player to move sees it.
func (s State) seenBy(viewer engine.Player, mine, theirs uint64) (uint64, uint64) {
	if viewer == s.mover {
		return mine, theirs
	}
	return bits.ReverseBytes64(theirs), bits.ReverseBytes64(mine)
}

// men returns the viewer's men and the other player's men.
func (s State) men(viewer engine.Player) (mine, theirs uint64) {
	return s.seenBy(viewer, s.mine, s.theirs)
}

// reach returns the cells that the viewer's men attack and those that the other player's men attack.
func (s State) reach(viewer engine.Player) (mine, theirs uint64) {
	mine, theirs = s.attacks()
	return s.seenBy(viewer, mine, theirs)
}

// strikes reports whether p could win with one action if it were p's turn. A man in front of the last
// row can always move to it.
func (s State) strikes(p engine.Player) bool {
	mine, theirs := s.men(p)
	reach, _ := s.reach(p)
	return mine&(goal>>8) != 0 || theirs&(theirs-1) == 0 && theirs&reach != 0
}
