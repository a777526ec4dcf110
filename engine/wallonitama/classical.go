package wallonitama

import (
	"math/bits"

	"dojo.example/engine"
)

// Evaluate counts men and mobility; see engine.StaticEvaluator.
func (s State) Evaluate() int {
	mine, theirs := s.covered()
	return s.Sides.Evaluate(mine, theirs, 0)
}

// covered returns the cells that each side's cards reach if it is that side's turn. These include
// cells with a man of that side.
func (s *State) covered() (mine, theirs board) {
	mine = s.cards[0].reach(s.Mine) | s.cards[1].reach(s.Mine)
	theirs = s.cards[2].turned().reach(s.Theirs) | s.cards[3].turned().reach(s.Theirs)
	return mine &^ (1 << s.wall), theirs &^ (1 << s.wall)
}

// Hash returns a hash of the position; see engine.Hasher.
func (s State) Hash() uint64 {
	h := engine.Mix(0, uint64(s.Mine)|uint64(s.Theirs)<<32)
	for _, c := range s.cards {
		h = engine.Mix(h, uint64(c.crosses)|uint64(c.circle)<<32)
	}
	walling := uint64(0)
	if s.walling {
		walling = 1
	}
	return engine.Mix(h, uint64(s.MyMaster)|uint64(s.TheirMaster)<<8|uint64(s.wall)<<16|
		uint64(s.left)<<24|walling<<32|uint64(s.Mover)<<33|uint64(s.outcome)<<34)
}

// Loud appends captures and winning actions. If the wall must move or the opponent threatens to
// win, Loud appends all legal actions instead; see engine.Tactician.
func (s State) Loud(dst []engine.Action) (loud []engine.Action, settled bool) {
	if s.walling || s.Strikes(1-s.Mover) {
		return s.Legal(dst), false
	}
	for men := s.Mine; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		aims := s.Theirs
		if from == int(s.MyMaster) {
			aims |= 1 << target &^ s.Mine
		}
		aims &^= 1 << s.wall
		for slot := range 2 {
			for to := s.cards[slot].from(from) & aims; to != 0; to &= to - 1 {
				dst = append(dst, pawnAction(slot, from, bits.TrailingZeros32(to)))
			}
		}
	}
	return dst, true
}

// Strikes reports whether p could win with one pawn move; see engine.Striker.
func (s State) Strikes(p engine.Player) bool {
	if p != s.Mover {
		s = s.passed()
	} else if s.walling {
		return false
	}
	a, b := s.cards[0], s.cards[1]
	// To find the men that can capture the general, the code moves backwards from the general: a
	// card that is rotated by half a turn leads back to the cell where the move began.
	if (a.turned().from(int(s.TheirMaster))|b.turned().from(int(s.TheirMaster)))&s.Mine != 0 {
		return true
	}
	to := a.from(int(s.MyMaster)) | b.from(int(s.MyMaster))
	return to&^(s.Mine|1<<s.wall)&(1<<target) != 0
}
