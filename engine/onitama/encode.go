package onitama

import (
	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// The channels of the network input are from the perspective of the player to move; row 0 is
// nearest to that player. A card is shown by its moves and never by its id, so that the network can
// play with cards that it has not seen.
//
//	0-3    men; see fivebyfive.Planes.Men
//	4-15   cards; see fivebyfive.Planes.Cards
//	16     my shrine
//	17     the opponent's shrine
//	18     plies/200 on every cell
//	19     1 on every cell
const (
	chCards = 4
	chReach = 9
	chHome  = 16
	chPlies = 18

	channels = 20
)

// Encode writes the network input; see engine.State.
func (s State) Encode(planes []float32) {
	clear(planes)
	p := fivebyfive.Planes{To: planes, Channels: channels}
	p.Men(&s.Sides)
	p.Cards(chCards, &s.Sides, 0, func(i int, men board) board {
		card := &reach[s.hand[i]]
		if i == 2 || i == 3 {
			card = &back[s.hand[i]]
		}
		return either(men, card, card)
	})
	p.Mark(chHome, 1<<home)
	p.Mark(chHome+1, 1<<target)
	p.Fill(chPlies, float32(s.plies)/Turns)
	p.Fill(chPlies+1, 1)
}

// symmetry converts a view to a relabelling. Planes show cards by their moves, so mirroring the
// cells also mirrors the cards. Features name the cards, so each card is replaced by its mirror
// image.
func symmetry(v fivebyfive.View) engine.Relabelling {
	return engine.Relabelling{
		Element: func(cell, channel int) (int, int) { return v.Cell(cell), v.Card(channel, chCards, chReach) },
		Action: func(a int) int {
			from, slot, by := a/perCell, a%perCell/perSlot, a%perSlot
			if by != still { // otherwise the action is a pass, which the symmetry does not move: it is always on cell 0
				from, by = v.Cell(from), v.Cell(by)
			}
			return from*perCell + v.Card(slot, 0)*perSlot + by
		},
		Feature: func(group, i int) (otherGroup, j int) {
			switch len(feat.groups[group].Each) {
			case cells:
				i = v.Cell(i)
			case cards:
				i = mirrored(v, i)
				if v.Mine && (group == groupMyCards || group == groupMyCards+1) {
					group = 2*groupMyCards + 1 - group
				}
			}
			return group, i
		},
		ActionFeature: func(f int) int {
			return mirrored(v, f/fivebyfive.MoveFeatures)*fivebyfive.MoveFeatures + f%fivebyfive.MoveFeatures
		},
	}
}

// mirrored returns the image of card c under a view.
func mirrored(v fivebyfive.View, c int) int {
	if v.Mirror {
		return int(mirrorImage[c])
	}
	return c
}

// groupMyCards is the index of the feature group for my first card.
const groupMyCards = 4
