package onitama

import (
	"math/bits"

	"dojo.example/engine"
)

// central is the value of moving one man one ring closer to the middle of the board, in hundredths
// of a student.
const central = 4

// ring contains the eight cells around the middle of the board; core contains only the middle.
const (
	ring board = 0b01110_01110_01110 << 5
	core board = 1 << middle
)

// Evaluate counts material, mobility and control of the middle; see engine.StaticEvaluator.
func (s State) Evaluate() int {
	mine, theirs := s.covered()
	near := func(men board) int { return bits.OnesCount32(men&ring) + bits.OnesCount32(men&core) }
	return s.Sides.Evaluate(mine, theirs, central*(near(s.Mine)-near(s.Theirs)))
}

// Hash returns a hash of the position; see engine.Hasher. The order of the cards in a hand does not
// affect the hash.
func (s State) Hash() uint64 {
	order := func(a, b uint8) uint64 { return uint64(min(a, b)) | uint64(max(a, b))<<4 }
	hand := order(s.hand[0], s.hand[1]) | order(s.hand[2], s.hand[3])<<8 | uint64(s.hand[4])<<16
	h := engine.Mix(0, uint64(s.Mine)|uint64(s.Theirs)<<32)
	return engine.Mix(h, hand|uint64(s.MyMaster)<<24|uint64(s.TheirMaster)<<32|uint64(s.plies)<<40|uint64(s.Mover)<<48)
}

// Loud appends captures and winning actions. If the opponent threatens to win, Loud appends all
// legal actions instead; see engine.Tactician.
func (s State) Loud(dst []engine.Action) (loud []engine.Action, settled bool) {
	if s.Strikes(1 - s.Mover) {
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

// Strikes reports whether p could win with one action; see engine.Striker.
func (s State) Strikes(p engine.Player) bool {
	h := &s.hand
	if p == s.Mover {
		return two(&back, h[0], h[1], s.TheirMaster)&s.Mine != 0 || two(&reach, h[0], h[1], s.MyMaster)&^s.Mine&(1<<target) != 0
	}
	return two(&reach, h[2], h[3], s.MyMaster)&s.Theirs != 0 || two(&back, h[2], h[3], s.TheirMaster)&^s.Theirs&(1<<home) != 0
}

// two returns the cells that a man on the given cell can reach with at least one of the cards a and
// b.
func two(table *[cards]targets, a, b card, cell uint8) board { return table[a][cell] | table[b][cell] }
