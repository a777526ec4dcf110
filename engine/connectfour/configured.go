package connectfour

import (
	"dojo.example/engine"
	"dojo.example/engine/patterns"
)

// Configured returns the game with the option features, which chooses what a sparse network reads:
// "expert" for the features of this package, "none" for features that dojo derives from the planes,
// and "patterns" for features that follow from the lines of four; see [patterns.Choose].
func Configured(name string, set *engine.Settings) engine.Rules[State] {
	r := Rules
	r.Name = name
	return patterns.Choose(set, r, patterns.Board[State]{
		Bit: func(x, y int) int { return x*column + y },
		Men: func(s State, viewer engine.Player) (mine, theirs uint64) {
			if viewer == s.ToMove() {
				return s.mine, s.theirs
			}
			return s.theirs, s.mine
		},
		Goals:   patterns.Line(4),
		Sides:   true,
		Strikes: State.Strikes,
	})
}
