package connectfour

import (
	"dojo.example/engine"
	"dojo.example/engine/patterns"
)

// Configured returns the game with the option features, which chooses what a sparse network reads:
// "expert" for the features of this package, "none" for features that dojo derives from the planes,
// and "patterns" for the contents of all lines of four cells; see [patterns.Choose]. Measurements
// can so compare the features of this package with features that need no knowledge.
func Configured(name string, set *engine.Settings) engine.Rules[State] {
	r := Rules
	r.Name = name
	return patterns.Choose(set, r, patterns.Board[State]{
		Kinds:   2,
		Men:     func(s State) patterns.Men { return patterns.Men{s.mine, s.theirs} },
		Bit:     func(x, y int) int { return x*column + y },
		Strikes: State.Strikes,
	}, patterns.Line(4))
}
