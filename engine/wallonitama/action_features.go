package wallonitama

import (
	"dojo/engine"
	"dojo/engine/fivebyfive"
)

// The feature of an action says what it does; see fivebyfive.Sides.MoveFeature for a pawn's
// move. The wall's move has the cell that the wall goes to, and three flags: whether each
// side's cards reach that cell, and whether a soldier changes places with the wall.
const (
	actionWall     = fivebyfive.MoveFeatures
	perWall        = 8
	actionPasses   = actionWall + cells*perWall // with the first card, with the second
	actionFeatures = actionPasses + 2
)

// ActionFeatures lists what each action does; see engine.ActionFeatureLister.
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
		to := from + (d/reachSide-4)*side + d%reachSide - 4
		dst = append(dst, s.MoveFeature(uint8(from), uint8(to), theirs, (s.cards[1-slot].from(to)|s.cards[sideway].from(to))&s.Theirs))
	}
	return dst
}

// viewActionFeature returns where a view has feature f of an action.
func viewActionFeature(v fivebyfive.View, f int) int {
	switch {
	case f >= actionPasses:
		return actionPasses + v.Card(f-actionPasses, 0)
	case f >= actionWall:
		cell, flags := (f-actionWall)/perWall, (f-actionWall)%perWall
		return actionWall + v.Cell(cell)*perWall + flags
	}
	return f
}
