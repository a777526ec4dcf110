package tictactoe

import "dojo/engine"

// Hash is of the whole position; see engine.Hasher.
func (s State) Hash() uint64 {
	return engine.Mix(0, uint64(s.mine)|uint64(s.theirs)<<16|uint64(s.mover)<<32)
}

var _ engine.Hasher = State{}
