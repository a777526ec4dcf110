package onitama

import (
	"math/bits"

	"dojo.example/engine/fivebyfive"
)

// The channels of the network's input, from the side of the player to move, with row
// 0 nearest to him. A card is shown by its moves and never by its id, so that the
// network can play with cards that it has not seen.
//
//	0-3    the men; see fivebyfive.Planes.Men       17  the other's shrine
//	4-15   the cards; see fivebyfive.Planes.Cards   18  plies/200 on every cell
//	16     my shrine                                19  1 on every cell
const (
	chCards = 4
	chReach = 9
	chHome  = 16
	chPlies = 18

	channels = 20
)

// Encode writes the input of the network; see engine.State.
func (s State) Encode(planes []float32) {
	clear(planes)
	p := fivebyfive.Planes{To: planes, Channels: channels}
	p.Men(&s.Sides)
	p.Cards(chCards, &s.Sides, 0, func(i int, men board) board {
		if i == 2 || i == 3 {
			return spread(men, &back[s.hand[i]])
		}
		return spread(men, &reach[s.hand[i]])
	})
	p.Mark(chHome, 1<<home)
	p.Mark(chHome+1, 1<<target)
	p.Fill(chPlies, float32(s.plies)/Turns)
	p.Fill(chPlies+1, 1)
}

// spread returns the cells to which any of the men can go.
func spread(men board, table *targets) (to board) {
	for ; men != 0; men &= men - 1 {
		to |= table[bits.TrailingZeros32(men)]
	}
	return to
}

// layout is what symmetries permute. Mirroring works even for cards whose image is not in
// the deck, because planes show cards by their moves.
var layout = fivebyfive.Layout{
	Cards: []int{chCards, chReach}, Action: viewAction, Feature: viewFeature, ActionFeature: viewActionFeature,
}

// viewAction returns where a view has an action.
func viewAction(v fivebyfive.View, a int) int {
	from, slot, by := a/perCell, a%perCell/perSlot, a%perSlot
	if by != still { // to stay is to pass, which is tied to cell 0
		from, by = v.Cell(from), v.Cell(by)
	}
	return from*perCell + v.Card(slot, 0)*perSlot + by
}

// viewFeature returns where a view has feature i of a group; see engine.FeatureGroups.Permute.
func viewFeature(v fivebyfive.View, group, i int) (otherGroup, j int) {
	switch len(feat.groups[group].Each) {
	case cells:
		i = v.Cell(i)
	case cards:
		if v.Mirror {
			i = int(mirrorImage[i])
		}
		if v.Mine && (group == groupMyCards || group == groupMyCards+1) {
			group = 2*groupMyCards + 1 - group
		}
	}
	return group, i
}

// groupMyCards is the group of my first card.
const groupMyCards = 4
