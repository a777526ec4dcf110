package onitama

import (
	"slices"

	"dojo/engine"
	"dojo/engine/fivebyfive"
)

// The feature of an action says what it does: with which card, whether it takes a man,
// whether the other's cards reach the man before and after it, whether the man is the
// master, and what it will attack with the cards that are then in the mover's hand.
//
//	card*perCard + attack*perAttack + flags        attack: nothing, a student, the master
const (
	actionCovered = 1 << iota // the other's cards reach the cell that the man goes to
	actionTakes
	actionMaster
	actionEscapes // the other's cards reach the cell that the man leaves
	perAttack
	perActionCard  = 3 * perAttack
	actionFeatures = cards * perActionCard
)

// A move is an action's parts; see split.
type move struct{ from, slot, to uint8 }

// moves has the parts of all actions, as far as they stay on the board.
var moves = func() (all [cells * perCell]move) {
	for a := range all {
		if from, slot, to := split(engine.Action(a)); to >= 0 && to < cells {
			all[a] = move{uint8(from), uint8(slot), uint8(to)}
		}
	}
	return all
}()

// ActionFeatures lists what each action does; see engine.ActionFeatureLister. It has no
// branches, which would often be mispredicted.
func (s State) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	_, theirs := s.covered()
	master := board(1) << s.MyMaster
	kept := &reach[s.hand[centre]]
	n := len(dst)
	dst = slices.Grow(dst, len(legal))[:n+len(legal)]
	for i, a := range legal {
		m := &moves[a]
		from, to := m.from&31, m.to&31 // which says that shifts stay within a word
		attacked := (reach[s.hand[1-m.slot&1]][m.to] | kept[m.to]) & s.Theirs
		attack := (attacked|-attacked)>>31 + attacked>>(s.TheirMaster&31)&1
		flags := theirs>>to&1*actionCovered + s.Theirs>>to&1*actionTakes + master>>from&1*actionMaster + theirs>>from&1*actionEscapes
		dst[n+i] = uint16(s.hand[m.slot&1])*perActionCard + uint16(attack)*perAttack + uint16(flags)
	}
	return dst
}

// viewActionFeature returns where a view has feature f of an action.
func viewActionFeature(v fivebyfive.View, f int) int {
	if !v.Mirror {
		return f
	}
	return int(mirrorImage[f/perActionCard])*perActionCard + f%perActionCard
}
