package connectfour

import "dojo.example/engine"

// Strikes reports whether p could win with one disc; see engine.Striker.
func (s State) Strikes(p engine.Player) bool {
	discs := s.mine
	if p != s.ToMove() {
		discs = s.theirs
	}
	return completing(discs)&above(s.mine|s.theirs) != 0
}

// Hash returns a hash of the position; see engine.Hasher.
func (s State) Hash() uint64 { return engine.Mix(engine.Mix(0, s.mine), s.theirs) }

// Heuristic compares the lines on which only one player has discs; see engine.Heuristic.
func (s State) Heuristic() int {
	return (value(s.mine, s.theirs) - value(s.theirs, s.mine)) * int(s.ToMove().Sign())
}
