package onitama

import (
	"math/bits"

	"dojo/engine"
)

// The channels of the network's input. Everything is seen by the player to
// move; a card is shown by what it does, so that cards never met in training
// make sense.
const (
	chMyStudents = iota
	chMyMaster
	chTheirStudents
	chTheirMaster
	chCards                           // five: where each card of the hand takes a man in the middle, the other's cards as the other uses them
	chMyReach     = chCards + 5       // two: where my men can move with each card
	chTheirReach  = chMyReach + 2     // two: where the other's men could
	chMasters     = chTheirReach + 2  // two: where my master can move, where the other's could
	chCentreReach = chMasters + 2     // where my men could move with the centre card
	chShrines     = chCentreReach + 1 // two: mine, the other's
	chPlies       = chShrines + 2     // share of the turn limit used, on every cell
	chOnes        = chPlies + 1       // 1 on every cell: where the board ends
	channels      = chOnes + 1
)

// Encode writes the input of the network; see engine.State.
func (s State) Encode(planes []float32) {
	_ = planes[cells*channels-1]
	clear(planes)
	plies := float32(s.plies) / Turns
	for i := 0; i < cells*channels; i += channels {
		planes[i+chPlies], planes[i+chOnes] = plies, 1
	}
	mark := func(channel int, b board) {
		for ; b != 0; b &= b - 1 {
			planes[bits.TrailingZeros32(b)*channels+channel] = 1
		}
	}
	var my, their board // masters; none if gone
	if s.myMaster != gone {
		my = 1 << s.myMaster
	}
	if s.theirMaster != gone {
		their = 1 << s.theirMaster
	}
	mark(chMyStudents, s.mine&^my)
	mark(chMyMaster, my)
	mark(chTheirStudents, s.theirs&^their)
	mark(chTheirMaster, their)

	for slot := range 2 {
		mine, theirs := &reach[s.hand[slot]], &back[s.hand[2+slot]]
		mark(chCards+slot, mine[middle])
		mark(chCards+2+slot, theirs[middle])
		mark(chMyReach+slot, spread(s.mine, mine)&^s.mine)
		mark(chTheirReach+slot, spread(s.theirs, theirs)&^s.theirs)
		mark(chMasters, spread(my, mine)&^s.mine)
		mark(chMasters+1, spread(their, theirs)&^s.theirs)
	}
	mark(chCards+centre, reach[s.hand[centre]][middle])
	mark(chCentreReach, spread(s.mine, &reach[s.hand[centre]])&^s.mine)
	mark(chShrines, 1<<home)
	mark(chShrines+1, 1<<target)
}

// spread is where any of the men can go.
func spread(men board, table *[cells]board) (to board) {
	for ; men != 0; men &= men - 1 {
		to |= table[bits.TrailingZeros32(men)]
	}
	return to
}

// symmetries are the ways in which the network's view can change without the
// game changing: the board mirrored left to right (with every card, so that
// it is a law of the game whatever the cards are), and the cards in either
// hand exchanged.
func symmetries() (all []engine.Symmetry) {
	for i := 1; i < 8; i++ {
		mirror, mine, theirs := i&1 != 0, i&2 != 0, i&4 != 0
		sym := engine.Symmetry{
			Planes:  make([]int32, cells*channels),
			Actions: make([]engine.Action, cells*perCell),
		}
		for bit, name := range []string{"mirror", "my cards", "their cards"} {
			if i>>bit&1 != 0 {
				if sym.Name != "" {
					sym.Name += ", "
				}
				sym.Name += name
			}
		}
		flip := func(cell int) int {
			if mirror {
				return cell - cell%side + side - 1 - cell%side
			}
			return cell
		}
		for cell := range cells {
			for ch := range channels {
				to := ch
				switch {
				case mine && (ch == chCards || ch == chMyReach), theirs && (ch == chCards+2 || ch == chTheirReach):
					to = ch + 1
				case mine && (ch == chCards+1 || ch == chMyReach+1), theirs && (ch == chCards+3 || ch == chTheirReach+1):
					to = ch - 1
				}
				sym.Planes[cell*channels+ch] = int32(flip(cell)*channels + to)
			}
			for slot := range 2 {
				toSlot := slot
				if mine {
					toSlot = 1 - slot
				}
				for d := range perSlot { // a displacement is a cell of a 5×5 square
					to := flip(cell)*perCell + toSlot*perSlot + flip(d)
					if d == still { // passing is tied to cell 0
						to = cell*perCell + toSlot*perSlot + d
					}
					sym.Actions[cell*perCell+slot*perSlot+d] = engine.Action(to)
				}
			}
		}
		all = append(all, sym)
	}
	return all
}
