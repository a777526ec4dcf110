package onitama

import (
	"math/bits"

	"dojo/engine"
)

// Values in hundredths of a student: of a cell that a man can go to, and of a man's
// being one ring nearer to the middle of the board.
const (
	mobility = 3
	central  = 4
)

// inner are the rings of the board: the eight cells around the middle and the
// middle itself.
const (
	ring board = 0b01110_01110_01110 << 5
	core board = 1 << middle
)

// Evaluate counts material, mobility and control of the middle of the board; see
// engine.StaticEvaluator.
func (s State) Evaluate() int {
	mine, theirs := s.covered()
	v := 100*(bits.OnesCount32(s.Mine)-bits.OnesCount32(s.Theirs)) +
		mobility*(bits.OnesCount32(mine&^s.Mine)-bits.OnesCount32(theirs&^s.Theirs)) +
		central*(bits.OnesCount32(s.Mine&ring)+bits.OnesCount32(s.Mine&core)-
			bits.OnesCount32(s.Theirs&ring)-bits.OnesCount32(s.Theirs&core))
	return v * int(s.Mover.Sign())
}

// Hash returns a hash of the position; see engine.Hasher. Hands in another order are the same
// position.
func (s State) Hash() uint64 {
	order := func(a, b uint8) uint64 { return uint64(min(a, b)) | uint64(max(a, b))<<4 }
	hand := order(s.hand[0], s.hand[1]) | order(s.hand[2], s.hand[3])<<8 | uint64(s.hand[4])<<16
	h := engine.Mix(0, uint64(s.Mine)|uint64(s.Theirs)<<32)
	return engine.Mix(h, hand|uint64(s.MyMaster)<<24|uint64(s.TheirMaster)<<32|uint64(s.plies)<<40|uint64(s.Mover)<<48)
}

// Loud appends captures and wins, or all actions if the other player threatens to win;
// see engine.Tactician.
func (s State) Loud(dst []engine.Action) (loud []engine.Action, settled bool) {
	if s.threatened() {
		return s.Legal(dst), false
	}
	for men := s.Mine; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		aims := s.Theirs
		if from == int(s.MyMaster) {
			aims |= 1 << target &^ s.Mine
		}
		for slot := range 2 {
			base := action(from, slot, 0)
			for to := reach[s.hand[slot]][from] & aims; to != 0; to &= to - 1 {
				dst = append(dst, base+engine.Action(bits.TrailingZeros32(to)))
			}
		}
	}
	return dst, true
}

// threatened reports whether the other player could win at once if it were his
// turn.
func (s *State) threatened() bool {
	a, b := s.hand[2], s.hand[3]
	return (reach[a][s.MyMaster]|reach[b][s.MyMaster])&s.Theirs != 0 ||
		(back[a][s.TheirMaster]|back[b][s.TheirMaster])&^s.Theirs&(1<<home) != 0
}

var (
	_ engine.StaticEvaluator = State{}
	_ engine.Hasher          = State{}
	_ engine.Tactician       = State{}
	_ engine.Counter         = State{}
	_ engine.LateReporter    = State{}
	_ engine.Striker         = State{}
)

// Strikes reports whether p could win at once; see engine.Striker.
func (s State) Strikes(p engine.Player) bool {
	if p == s.Mover {
		a, b := s.hand[0], s.hand[1]
		return (back[a][s.TheirMaster]|back[b][s.TheirMaster])&s.Mine != 0 ||
			(reach[a][s.MyMaster]|reach[b][s.MyMaster])&^s.Mine&(1<<target) != 0
	}
	return s.threatened()
}
