package onitama

import (
	"slices"

	"dojo/engine"
	"dojo/engine/fivebyfive"
)

// The feature of an action says with which card it is played and what it does:
//
//	card*fivebyfive.MoveFeatures + feature        see fivebyfive.Sides.MoveFeature
const actionFeatures = cards * fivebyfive.MoveFeatures

// A move is an action's parts; see split.
type move struct{ from, slot, to uint8 }

// moves has the parts of the actions that stay on the board.
var moves = func() (all [cells * perCell]move) {
	for a := range all {
		if from, slot, to := split(engine.Action(a)); to >= 0 && to < cells {
			all[a] = move{uint8(from), uint8(slot), uint8(to)}
		}
	}
	return all
}()

// ActionFeatures lists what each action does; see engine.ActionFeatureLister.
func (s State) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	_, theirs := s.covered()
	kept := &reach[s.hand[centre]]
	n := len(dst)
	dst = slices.Grow(dst, len(legal))[:n+len(legal)]
	for i, a := range legal {
		m := &moves[a]
		feature := s.MoveFeature(m.from, m.to, theirs, (reach[s.hand[1-m.slot&1]][m.to]|kept[m.to])&s.Theirs)
		dst[n+i] = uint16(s.hand[m.slot&1])*fivebyfive.MoveFeatures + feature
	}
	return dst
}

// viewActionFeature returns where a view has feature f of an action.
func viewActionFeature(v fivebyfive.View, f int) int {
	if !v.Mirror {
		return f
	}
	return int(mirrorImage[f/fivebyfive.MoveFeatures])*fivebyfive.MoveFeatures + f%fivebyfive.MoveFeatures
}
