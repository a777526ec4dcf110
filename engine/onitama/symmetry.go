package onitama

import "dojo/engine/fivebyfive"

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
