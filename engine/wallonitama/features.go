package wallonitama

import (
	"fmt"
	"math/bits"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// feat numbers the features of a position for sparse networks. They are from the perspective of the
// player to move. While the wall must move, the features for cards and reached cells describe the
// next turn. These are the reasons for the choice of features:
//
//   - A card can have any pattern, with the circle on any cell. Each step of a card is therefore a
//     feature. The feature gives the columns and rows of the step and the place of the card in the
//     hand, because actions do so too.
//   - The cells that the men can reach with each card depend on men, wall and card. A sum over men,
//     wall and cards cannot express this. A sum cannot express attacked or guarded men either. A
//     man is guarded if its side could recapture on its cell.
//   - The number of turns left matters most near the end, when a draw is close.
var feat = func() (f struct {
	groups engine.FeatureGroups

	// These are the numbers of the first feature of each group.
	mySoldiers, theirSoldiers, wall, steps, reach, attacked, guarded, win, walling int

	left engine.Scale
}) {
	cells, steps := fivebyfive.Names(lettering), []string(nil)
	for d := range perSlot { // each step, as columns to the right and rows forward: "(-1,2)"
		steps = append(steps, fmt.Sprintf("(%d,%d)", d%reachSide-4, 4-d/reachSide))
	}
	owners := [...]string{"my first", "my second", "their first", "their second"}
	f.mySoldiers = f.groups.Add("my soldier", cells...)
	f.groups.Add("my general", cells...)
	f.theirSoldiers = f.groups.Add("their soldier", cells...)
	f.groups.Add("their general", cells...)
	f.wall = f.groups.Add("wall", cells...)
	// The steps of a card in a hand are from its holder's perspective. The steps of the side card
	// are from the perspective of the player to move.
	f.steps = f.groups.Count()
	for _, owner := range owners {
		f.groups.Add(owner+" card", steps...)
	}
	f.groups.Add("side card", steps...)
	f.reach = f.groups.Count() // cells without the wall and without men of the card's holder
	for _, owner := range owners {
		f.groups.Add(owner+" card reaches", cells...)
	}
	f.attacked = f.groups.Add("they attack", cells...)
	f.groups.Add("I attack", cells...)
	f.guarded = f.groups.Add("I guard", cells...)
	f.groups.Add("they guard", cells...)
	f.win = f.groups.Add("win at once:", "I can", "they could")
	f.walling = f.groups.Add("due:", "wall")
	f.left = f.groups.AddScale("turns left", engine.Buckets{1, 2, 3, 4, 5, 7, 10, 15, 23, 33})
	return f
}()

// activeFeatures is the maximum number of active features. Let m be the number of men on the board.
// It is at most 24, because the wall takes one cell. Then m + 1 cells contain a man or the wall,
// and five cards have up to 24 steps each. Each of the four cards in the hands reaches up to 24
// cells, minus the cells of its holder's men; the four cards together reach 4*24 - 2*m cells. Each
// man can be attacked and guarded, which gives 2*m more features. These are (m + 1) + 5*24 + 4*24
// features, and m is at most 24. Four more features can be active: two in the group "win at once:",
// the wall that must move, and the number of turns left.
const activeFeatures = (24 + 1) + 5*24 + 4*24 + 2 + 1 + 1

// These are the indices of the first feature group for cards and of the first feature group for
// cells that cards reach.
const (
	groupCards = 5
	groupReach = 10
)

// appendSteps appends the features for the steps of a card. The feature of the step with index d in
// shifts has the number first + d. It also returns the cells that at least one of the men can reach
// with the card.
func (c card) appendSteps(dst []uint16, first int, men board) ([]uint16, board) {
	var to board
	centre := perSlot/2 - wide[c.circle]
	for crosses := c.crosses; crosses != 0; crosses &= crosses - 1 {
		step := centre + wide[bits.TrailingZeros32(crosses)]
		dst = append(dst, uint16(first+step))
		by := &shifts[step]
		to |= bits.RotateLeft32(men&by.from, int(by.by)) // shifts right if by is negative; no bit wraps around, because from leaves out such cells
	}
	return dst, to
}

// Features appends the active features; see engine.FeatureLister. Most calls of AppendFeatures
// append the features of two adjacent groups.
func (s State) Features(dst []uint16) []uint16 {
	my, their := s.Masters()
	dst = engine.AppendFeatures(dst, feat.mySoldiers, fivebyfive.Pair(s.Mine&^my, my))
	dst = engine.AppendFeatures(dst, feat.theirSoldiers, fivebyfive.Pair(s.Theirs&^their, their))
	dst = append(dst, uint16(feat.wall)+uint16(s.wall))
	seen := [5]card{s.cards[0], s.cards[1], s.cards[2].turned(), s.cards[3].turned(), s.cards[sideway]}
	men := [5]board{s.Mine, s.Mine, s.Theirs, s.Theirs, 0}
	var to [5]board
	for i, c := range seen {
		dst, to[i] = c.appendSteps(dst, feat.steps+i*perSlot, men[i])
	}
	mine, theirs := to[0]|to[1], to[2]|to[3]
	free, open := full&^(s.Mine|1<<s.wall), full&^(s.Theirs|1<<s.wall)
	dst = engine.AppendFeatures(dst, feat.reach, fivebyfive.Pair(to[0]&free, to[1]&free))
	dst = engine.AppendFeatures(dst, feat.reach+2*cells, fivebyfive.Pair(to[2]&open, to[3]&open))
	dst = engine.AppendFeatures(dst, feat.attacked, fivebyfive.Pair(theirs&s.Mine, mine&s.Theirs))

	last := fivebyfive.Pair(mine&s.Mine, theirs&s.Theirs)
	if mine&their != 0 || reaches(seen[0], seen[1], s.MyMaster, target)&^s.Mine != 0 {
		last |= 1 << (2 * cells)
	}
	if theirs&my != 0 || reaches(seen[2], seen[3], s.TheirMaster, base)&^s.Theirs != 0 {
		last |= 1 << (2*cells + 1)
	}
	if s.walling {
		last |= 1 << (2*cells + 2)
	}
	dst = engine.AppendFeatures(dst, feat.guarded, last)
	return feat.left.Append(dst, int(s.left))
}

// reaches returns a board with only the cell base if the general can move there with card a or b.
// Otherwise it returns an empty board.
func reaches(a, b card, general uint8, base int) board {
	if general == gone {
		return 0
	}
	return (a.from(int(general)) | b.from(int(general))) & (1 << base)
}

// These constants number the action features. An action has one feature, for its effect. For a
// pawn's move, see fivebyfive.Sides.MoveFeature. The feature of a wall's move contains the new cell
// of the wall and three flags: whether the opponent's cards reach that cell, whether the mover's
// cards reach it, and whether a soldier changes places with the wall.
const (
	actionWall     = fivebyfive.MoveFeatures
	perWall        = 8
	actionPasses   = actionWall + cells*perWall // two features: a pass with either card
	actionFeatures = actionPasses + 2
)

// ActionFeatures appends the feature of each action; see engine.ActionFeatureLister.
func (s State) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	theirs := s.cards[2].turned().reach(s.Theirs) | s.cards[3].turned().reach(s.Theirs)
	if s.walling {
		mine := s.cards[0].reach(s.Mine) | s.cards[1].reach(s.Mine)
		for _, a := range legal {
			to := s.wallTo(int(a) / perCell)
			f := actionWall + to*perWall + int(theirs>>to&1) + 2*int(mine>>to&1) + 4*int(s.Mine>>to&1)
			dst = append(dst, uint16(f))
		}
		return dst
	}
	for _, a := range legal {
		from, plane := int(a)/perCell, int(a)%perCell
		if plane == planeRest {
			dst = append(dst, uint16(actionPasses+from-passes))
			continue
		}
		slot, d := plane/perSlot, plane%perSlot
		to := from + int(shifts[d].by)
		dst = append(dst, s.MoveFeature(uint8(from), uint8(to), theirs, (s.cards[1-slot].from(to)|s.cards[sideway].from(to))&s.Theirs))
	}
	return dst
}
