package onitama

import (
	"math/bits"
	"slices"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// The features of a position, for networks whose first layer sums columns, from the side of
// the player to move. The reasons:
//
//   - The mover's cards are known by their slots, because actions name the slot. The order of
//     the other player's cards does not matter.
//   - The cells that a side's cards reach (as if it were its turn) depend on men and cards at
//     once, which a sum cannot combine: they are worth 127 Elo besides men and cards. They
//     are three groups, by what stands there: nothing (a move), one of the other's men (a
//     threat), or one of the side's own (a guard, which could retake).
//   - The number of turns played matters only near the limit.
var feat = func() (f struct {
	groups                                                                            engine.FeatureGroups
	myStudents, theirStudents, myCards, myMoves, myTakes, theirMoves, myGuards, myWin int // their first features
	turns                                                                             engine.Scale
}) {
	cells, cards := fivebyfive.Names(lettering), []string(nil)
	for _, c := range deck {
		cards = append(cards, c.name)
	}
	f.myStudents = f.groups.Add("my student", cells...)
	f.groups.Add("my master", cells...)
	f.theirStudents = f.groups.Add("their student", cells...)
	f.groups.Add("their master", cells...)
	f.myCards = f.groups.Add("my first card", cards...)
	f.groups.Add("my second card", cards...)
	f.groups.Add("their card", cards...)
	f.groups.Add("centre card", cards...)
	f.myMoves = f.groups.Add("I can go to", cells...) // to empty cells
	f.myTakes = f.groups.Add("I can take on", cells...)
	f.theirMoves = f.groups.Add("they could go to", cells...)
	f.groups.Add("they could take on", cells...)
	f.myGuards = f.groups.Add("I guard", cells...) // own men on reached cells
	f.groups.Add("they guard", cells...)
	f.myWin = f.groups.Add("win at once:", "I can", "they could")
	f.turns = f.groups.AddScale("turns played", engine.Buckets{120, 160, 180, 190, 195, 198})
	return f
}()

// Each side has at most five men and reaches each cell in one way only.
const activeFeatures = 2*5 + handSize + 2*cells + 2 + 1

// Features lists the active features; see engine.FeatureLister. Neighbouring groups share
// a word of bits.
func (s State) Features(dst []uint16) []uint16 {
	my, their := s.Masters()
	mine, theirs := s.covered()
	held := uint64(1)<<s.hand[0] | 1<<(cards+s.hand[1]) | 1<<(2*cards+s.hand[2]) | 1<<(2*cards+s.hand[3]) | 1<<(3*cards+s.hand[centre])
	empty := all &^ (s.Mine | s.Theirs)

	dst = engine.AppendFeatures(dst, feat.myStudents, fivebyfive.Pair(s.Mine&^my, my))
	dst = engine.AppendFeatures(dst, feat.theirStudents, fivebyfive.Pair(s.Theirs&^their, their))
	dst = engine.AppendFeatures(dst, feat.myCards, held)
	dst = engine.AppendFeatures(dst, feat.myMoves, fivebyfive.Pair(mine&empty, mine&s.Theirs))
	dst = engine.AppendFeatures(dst, feat.theirMoves, fivebyfive.Pair(theirs&empty, theirs&s.Mine))
	last := fivebyfive.Pair(mine&s.Mine, theirs&s.Theirs)
	if mine&their != 0 || two(&reach, s.hand[0], s.hand[1], s.MyMaster)&^s.Mine&(1<<target) != 0 {
		last |= 1 << (2 * cells)
	}
	if theirs&my != 0 || two(&back, s.hand[2], s.hand[3], s.TheirMaster)&^s.Theirs&(1<<home) != 0 {
		last |= 1 << (2*cells + 1)
	}
	dst = engine.AppendFeatures(dst, feat.myGuards, last)
	return feat.turns.Append(dst, int(s.plies))
}

// covered returns the cells that each side's cards reach, as if it were its turn,
// including those of its own men.
func (s *State) covered() (mine, theirs board) {
	return either(s.Mine, &reach[s.hand[0]], &reach[s.hand[1]]), either(s.Theirs, &back[s.hand[2]], &back[s.hand[3]])
}

// either returns the cells to which either of two cards takes any of the men.
func either(men board, a, b *targets) (to board) {
	for ; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		to |= a[from] | b[from]
	}
	return to
}

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
