package wallonitama

import (
	"math/bits"

	"dojo/engine"
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
	mine, theirs := board(1)<<s.myGeneral&full, board(1)<<s.theirGeneral&full
	wall := board(1) << s.wall
	mark(chMySoldiers, s.mine&^mine)
	mark(chMyGeneral, mine)
	mark(chTheirSoldiers, s.theirs&^theirs)
	mark(chTheirGeneral, theirs)
	mark(chWall, wall)
	mark(chMyBase, 1<<base)
	mark(chTheirBase, 1<<target)
	for slot := range 2 {
		my, their := s.cards[slot], s.cards[2+slot].turned()
		mark(chCards+slot, my.from(cells/2))
		mark(chCards+2+slot, their.from(cells/2))
		mark(chMyReach+slot, my.reach(s.mine)&^(s.mine|wall))
		mark(chTheirReach+slot, their.reach(s.theirs)&^(s.theirs|wall))
		mark(chMyGeneralTo, my.reach(mine)&^(s.mine|wall))
		mark(chTheirGenTo, their.reach(theirs)&^(s.theirs|wall))
	}
	extra := s.cards[sideway]
	mark(chCards+sideway, extra.from(cells/2))
	mark(chSideReach, extra.reach(s.mine)&^(s.mine|wall))
	mark(chSideBack, extra.turned().reach(s.theirs)&^(s.theirs|wall))
	if s.walling {
		for w := range steps {
			if to := s.wallTo(w); to >= 0 {
				mark(chWallTo, 1<<to)
			}
		}
	}
}

// symmetries returns mirroring the board left to right, exchanging the cards in either
// hand, and all combinations of these.
func symmetries() (all []engine.Symmetry) {
	names := [...]string{"mirror", "my cards", "their cards"}
	for i := 1; i < 8; i++ {
		sym := engine.Symmetry{Planes: make([]int32, cells*channels), Actions: make([]engine.Action, cells*perCell)}
		for b, name := range names {
			if i>>b&1 != 0 {
				sym.Name += name + " "
			}
		}
		mirror, mine, theirs := i&1 != 0, i&2 != 0, i&4 != 0
		for cell := range cells {
			for ch := range channels {
				sym.Planes[cell*channels+ch] = int32(flip(cell, mirror)*channels + exchanged(ch, mine, theirs))
			}
			for slot := range 2 {
				to := slot
				if mine {
					to = 1 - slot
				}
				for d := range perSlot {
					e := d
					if mirror {
						e = d - d%reachSide + reachSide - 1 - d%reachSide
					}
					sym.Actions[cell*perCell+slot*perSlot+d] = engine.Action(flip(cell, mirror)*perCell + to*perSlot + e)
				}
			}
			rest := cell
			switch {
			case mirror && (cell == left || cell == right):
				rest = left + right - cell
			case mine && (cell == passes || cell == passes+1):
				rest = 2*passes + 1 - cell
			}
			sym.Actions[restAction(cell)] = restAction(rest)
		}
		sym.Features = engine.PermuteFeatures(featureGroups, featureView(mirror, mine, theirs))
		for f := range actionFeatures {
			sym.ActionFeatures = append(sym.ActionFeatures, uint16(actionFeature(f, mirror, mine)))
		}
		all = append(all, sym)
	}
	return all
}

// flip returns a cell's place on the board, mirrored or not.
func flip(cell int, mirror bool) int {
	if mirror {
		return cell - cell%side + side - 1 - cell%side
	}
	return cell
}

// exchanged returns a channel's place when cards are exchanged.
func exchanged(ch int, mine, theirs bool) int {
	switch {
	case mine && (ch == chCards || ch == chMyReach), theirs && (ch == chCards+2 || ch == chTheirReach):
		return ch + 1
	case mine && (ch == chCards+1 || ch == chMyReach+1), theirs && (ch == chCards+3 || ch == chTheirReach+1):
		return ch - 1
	}
	return ch
}
