package tictactoe

import (
	"math/bits"

	"dojo/engine"
)

// Hash returns a hash of the position; see engine.Hasher.
func (s State) Hash() uint64 {
	return engine.Mix(0, uint64(s.mine)|uint64(s.theirs)<<16|uint64(s.mover)<<32)
}

// Late reports whether at most four cells are empty; see engine.LateReporter.
func (s State) Late() bool { return bits.OnesCount16(s.mine|s.theirs) >= 5 }

var (
	_ engine.Hasher       = State{}
	_ engine.LateReporter = State{}
)
