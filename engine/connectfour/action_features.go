package connectfour

import (
	"math/bits"
	"slices"

	"dojo.example/engine"
)

// An action has two features. The first feature combines the cell on which the disc lands, the
// purpose of the disc, and the players who could complete four on the cell above it:
//
//	(bit*purposes + purpose)*4 + 2*theirs + mine
//
// The second feature says who is to move and what the disc changes; see change.
const (
	purposes      = 3 // 2 if the disc completes four, 1 if it stops the other player from doing so, or 0
	firstFeatures = bitCount * purposes * 4
	perMover      = 3 * 2 * 2 * 3 * 2

	actionFeatures = firstFeatures + 2*perMover
)

// oddRows has the cells of rows 1, 3 and 5. First usually gets these cells if the columns fill up,
// and Second gets the others.
const oddRows = bottomRow * 0b010101

// ActionFeatures appends the features of each action; see engine.ActionFeatureLister.
func (s State) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	full, n := s.mine|s.theirs, len(dst)
	mine, theirs, next := completing(s.mine)&^full, completing(s.theirs)&^full, above(full)
	mover := bits.OnesCount64(full) & 1
	near := pairs(s.mine, s.theirs) | pairs(s.theirs, s.mine) // a disc makes new threats only here
	dst = slices.Grow(dst, 2*len(legal))[:n+2*len(legal)]
	for i, a := range legal {
		disc := next & ((1<<column - 1) << (int(a) * column))
		purpose := 0
		switch {
		case mine&disc != 0:
			purpose = 2
		case theirs&disc != 0:
			purpose = 1
		}
		over := 2*one(theirs&(disc<<1)) + one(mine&(disc<<1))
		dst[n+i] = uint16((bits.TrailingZeros64(disc)*purposes+purpose)*4 + over)
		second := firstFeatures + perMover*mover
		if near&disc != 0 {
			second += s.change(disc, mine, theirs)
		}
		dst[n+len(legal)+i] = uint16(second)
	}
	return dst
}

// change returns what a disc of the player to move changes, as a number below perMover. It combines
//
//   - the number of new threats that the player could complete in the next turn: 0, 1, or 2 or more;
//   - whether there are other new threats on odd rows;
//   - whether there are other new threats on even rows;
//   - the number of threats that the other player could have made with a disc on the same cell: 0,
//     1, or 2 or more;
//   - whether a new threat is directly above or below another threat of the player.
//
// The arguments mine and theirs are the threats before the disc.
func (s State) change(disc, mine, theirs uint64) int {
	full := s.mine | s.theirs | disc
	fresh := completing(s.mine|disc) &^ (mine | full)
	denied := completing(s.theirs|disc) &^ (theirs | full)
	later := fresh &^ above(full)
	n := min(bits.OnesCount64(fresh&^later), 2)
	n = 2*n + one(later&oddRows)
	n = 2*n + one(later&^oddRows)
	n = 3*n + min(bits.OnesCount64(denied), 2)
	return 2*n + one((fresh<<1|fresh>>1)&(fresh|mine))
}

// one returns 1 if the set has a cell, and 0 otherwise.
func one(set uint64) int { return int((set | -set) >> 63) }

// mirrorActionFeature returns the image of a feature of an action; see engine.Relabelling.
func mirrorActionFeature(f int) int {
	if f >= firstFeatures {
		return f
	}
	const perBit = purposes * 4
	return mirrorBit(f/perBit)*perBit + f%perBit
}
