package oanquan

import (
	"encoding/binary"

	"dojo.example/engine"
)

// The weights of the evaluation are in hundredths of a stone. loudGain is a number of stones.
const (
	wonStone = 100 // a stone that the player has won
	ownStone = 70  // a stone on the player's own side; it can still be lost
	loudGain = 4   // an action that wins at least this many stones is loud
)

// Evaluate counts the stones that each player has won and, with a lower weight, the stones on the
// player's own side; see engine.StaticEvaluator.
func (s State) Evaluate() int {
	worth := func(seat uint8) int { return wonStone*int(s.scores[seat]) + ownStone*s.onSide(seat) }
	return (worth(s.seat) - worth(1-s.seat)) * int(s.ToMove().Sign())
}

// Hash returns a hash of the position; see engine.Hasher. The hash does not include the options,
// which do not change during a game.
func (s State) Hash() uint64 {
	h := engine.Mix(0, binary.LittleEndian.Uint64(s.board[:8]))
	flags := uint64(s.seat) | uint64(s.plies)<<8 | uint64(s.outcome)<<24
	for i, big := range s.big {
		if big {
			flags |= 1 << (28 + i)
		}
	}
	h = engine.Mix(h, uint64(binary.LittleEndian.Uint32(s.board[8:]))|flags<<32)
	return engine.Mix(h, uint64(uint16(s.scores[0]))|uint64(uint16(s.scores[1]))<<16)
}

// Loud appends the actions that win at least loudGain stones; see engine.Tactician.
func (s State) Loud(dst []engine.Action) (loud []engine.Action, settled bool) {
	won := s.wins(1)
	for a, n := range won[:2*side] {
		if n >= loudGain {
			dst = append(dst, engine.Action(a))
		}
	}
	return dst, true
}

// Late reports whether at most twenty of the seventy points are still on the board; see
// engine.LateReporter.
func (s State) Late() bool {
	points := 0
	for _, n := range s.board {
		points += int(n)
	}
	return points <= 20
}
