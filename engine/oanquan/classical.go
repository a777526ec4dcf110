package oanquan

import "dojo/engine"

// What an evaluation counts, in hundredths of a stone.
const (
	wonStone = 100 // one in the store
	ownStone = 70  // one on the own side, which can still be lost
	loudGain = 4   // stones; an action that wins fewer is quiet
)

// Evaluate is the stones won, and those on the own side at less; see engine.Evaluator.
func (s State) Evaluate() int {
	v := 0
	for seat := range uint8(2) {
		sum := wonStone * int(s.scores[seat])
		for _, n := range s.board[low(seat) : low(seat)+side] {
			sum += ownStone * int(n)
		}
		if seat != s.seat {
			sum = -sum
		}
		v += sum
	}
	return v * int(s.ToMove().Sign())
}

// Hash is of the position and not of the options, which a game keeps; see
// engine.Hasher.
func (s State) Hash() uint64 {
	r := ringOf(&s.board)
	h := engine.Mix(0, r.low)
	flags := uint64(s.seat) | uint64(s.plies)<<8 | uint64(s.outcome)<<24
	for i, big := range s.big {
		if big {
			flags |= 1 << (28 + i)
		}
	}
	h = engine.Mix(h, r.high|flags<<32)
	return engine.Mix(h, uint64(uint16(s.scores[0]))|uint64(uint16(s.scores[1]))<<16)
}

// Loud are the actions that win some stones; see engine.Tactician.
func (s State) Loud(dst []engine.Action) (loud []engine.Action, settled bool) {
	r := ringOf(&s.board)
	for i := range side {
		field := low(s.seat) + i
		if s.board[field] == 0 {
			continue
		}
		for way := range 2 {
			if s.gain(r, field, 2*way-1) >= loudGain {
				dst = append(dst, engine.Action(2*i+way))
			}
		}
	}
	return dst, true
}

// Late is with twenty points or fewer on the board, of seventy at the start; see
// engine.Ending.
func (s State) Late() bool {
	points := 0
	for _, n := range s.board {
		points += int(n)
	}
	return points <= 20
}

var (
	_ engine.Evaluator = State{}
	_ engine.Hasher    = State{}
	_ engine.Tactician = State{}
	_ engine.Ending    = State{}
)
