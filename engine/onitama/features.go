package onitama

import (
	"math/bits"
	"slices"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// feat numbers the features of a position for sparse networks. They are from the perspective of the
// player to move. These are the reasons for the choice of features:
//
//   - The features for the mover's cards distinguish the first card from the second, as actions
//     do. The order of the opponent's cards does not matter.
//   - A side's cards reach certain cells if it is that side's turn. These cells depend on both
//     men and cards, and a sum over men and cards cannot express this. Adding features for these
//     cells to the features for men and cards gained 127 Elo. They form three groups by what is on
//     the cell: nothing (a move), an opponent's man (a threat), or a man of the same side (a guard,
//     which could recapture).
//   - The number of turns played matters only near the limit.
var feat = func() (f struct {
	groups engine.FeatureGroups

	// These are the numbers of the first feature of each group.
	myStudents, theirStudents, myCards, myMoves, myTakes, theirMoves, myGuards, myWin int

	turns engine.Scale
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
	f.myMoves = f.groups.Add("I can go to", cells...) // empty cells
	f.myTakes = f.groups.Add("I can take on", cells...)
	f.theirMoves = f.groups.Add("they could go to", cells...)
	f.groups.Add("they could take on", cells...)
	f.myGuards = f.groups.Add("I guard", cells...) // cells with an own man that a card reaches
	f.groups.Add("they guard", cells...)
	f.myWin = f.groups.Add("win at once:", "I can", "they could")
	f.turns = f.groups.AddScale("turns played", engine.Buckets{120, 160, 180, 190, 195, 198})
	return f
}()

// activeFeatures is the maximum number of active features. Each side has at most five men. Some
// groups describe the cells that a side reaches; each cell is in at most one of these groups.
const activeFeatures = 2*5 + handSize + 2*cells + 2 + 1

// Features appends the active features; see engine.FeatureLister. Each call of AppendFeatures
// appends the features of two adjacent groups.
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

// covered returns the cells that each side's cards reach if it is that side's turn. These include
// cells with a man of that side.
func (s *State) covered() (mine, theirs board) {
	return either(s.Mine, &reach[s.hand[0]], &reach[s.hand[1]]), either(s.Theirs, &back[s.hand[2]], &back[s.hand[3]])
}

// either returns the cells that at least one of the men can reach with at least one of the cards a
// and b.
func either(men board, a, b *targets) (to board) {
	for ; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		to |= a[from] | b[from]
	}
	return to
}

// actionFeatures is the number of action features. An action has one feature, for the card used and
// the effect of the move:
//
//	card*fivebyfive.MoveFeatures + feature        see fivebyfive.Sides.MoveFeature
const actionFeatures = cards * fivebyfive.MoveFeatures

// move holds the parts of an action: the man's cell, the slot of the card, and the target cell.
type move struct{ from, slot, to uint8 }

// moves holds the parts of each action whose target is on the board.
var moves = func() (all [cells * perCell]move) {
	for a := range all {
		if from, slot, to := split(engine.Action(a)); to >= 0 && to < cells {
			all[a] = move{uint8(from), uint8(slot), uint8(to)}
		}
	}
	return all
}()

// ActionFeatures appends the feature of each action; see engine.ActionFeatureLister.
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
