package wallonitama

import (
	"math/bits"

	"dojo/engine"
	"dojo/engine/fivebyfive"
)

// The channels of the network's input, from the side of the player to move. A card is
// shown as a pattern around the middle, cut off at the edge, and by the cells to which
// it takes the men on the board.
const (
	chMySoldiers    = 0
	chMyGeneral     = 1
	chTheirSoldiers = 2
	chTheirGeneral  = 3
	chWall          = 4
	chCards         = 5  // five: mine, the other's as the other uses them, the side card as I would
	chMyReach       = 10 // two: where my men can move with each card
	chTheirReach    = 12 // two
	chMyGeneralTo   = 14 // where my general can move
	chTheirGenTo    = 15
	chSideReach     = 16 // where my men could move with the side card
	chSideBack      = 17 // where the other's could
	chMyBase        = 18
	chTheirBase     = 19
	chWalling       = 20 // 1 on every cell when the wall is due
	chWallTo        = 21 // where the wall can go, when it is due
	chLeft          = 22 // turns left / 50, on every cell
	chOnes          = 23 // 1 on every cell
	channels        = 24
)

// Encode writes the input of the network; see engine.State.
func (s State) Encode(planes []float32) {
	_ = planes[cells*channels-1]
	clear(planes)
	for i := 0; i < cells*channels; i += channels {
		planes[i+chLeft], planes[i+chOnes] = float32(s.left)/50, 1
		if s.walling {
			planes[i+chWalling] = 1
		}
	}
	mark := func(channel int, b board) {
		for ; b != 0; b &= b - 1 {
			planes[bits.TrailingZeros32(b)*channels+channel] = 1
		}
	}
	mine, theirs := s.Masters()
	wall := board(1) << s.wall
	mark(chMySoldiers, s.Mine&^mine)
	mark(chMyGeneral, mine)
	mark(chTheirSoldiers, s.Theirs&^theirs)
	mark(chTheirGeneral, theirs)
	mark(chWall, wall)
	mark(chMyBase, 1<<base)
	mark(chTheirBase, 1<<target)
	for slot := range 2 {
		my, their := s.cards[slot], s.cards[2+slot].turned()
		mark(chCards+slot, my.from(cells/2))
		mark(chCards+2+slot, their.from(cells/2))
		mark(chMyReach+slot, my.reach(s.Mine)&^(s.Mine|wall))
		mark(chTheirReach+slot, their.reach(s.Theirs)&^(s.Theirs|wall))
		mark(chMyGeneralTo, my.reach(mine)&^(s.Mine|wall))
		mark(chTheirGenTo, their.reach(theirs)&^(s.Theirs|wall))
	}
	extra := s.cards[sideway]
	mark(chCards+sideway, extra.from(cells/2))
	mark(chSideReach, extra.reach(s.Mine)&^(s.Mine|wall))
	mark(chSideBack, extra.turned().reach(s.Theirs)&^(s.Theirs|wall))
	if s.walling {
		for w := range steps {
			if to := s.wallTo(w); to >= 0 {
				mark(chWallTo, 1<<to)
			}
		}
	}
}

// layout is what symmetries permute.
var layout = fivebyfive.Layout{
	Channels: channels, Actions: cells * perCell, Cards: []int{chCards, chMyReach},
	Action: viewAction, Groups: feat.groups, Feature: viewFeature,
	ActionFeatures: actionFeatures, ActionFeature: viewActionFeature,
}

// viewAction returns where a view has an action.
func viewAction(v fivebyfive.View, a engine.Action) engine.Action {
	cell, plane := int(a)/perCell, int(a)%perCell
	if plane == planeRest {
		switch {
		case v.Mirror && (cell == left || cell == right):
			cell = left + right - cell
		case cell == passes || cell == passes+1:
			cell = v.Card(cell, passes)
		}
		return restAction(cell)
	}
	slot, d := plane/perSlot, plane%perSlot
	return engine.Action(v.Cell(cell)*perCell + v.Card(slot, 0)*perSlot + viewStep(v, d))
}

// viewStep returns where a view has a displacement.
func viewStep(v fivebyfive.View, d int) int {
	if v.Mirror {
		return d + reachSide - 1 - 2*(d%reachSide)
	}
	return d
}
