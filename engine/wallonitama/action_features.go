package wallonitama

import (
	"dojo/engine"
	"dojo/engine/fivebyfive"
)

// The feature of an action says what it does. That of a pawn's move is flags and what the
// pawn will attack with the cards that are then in the mover's hand; that of the wall's
// move is where the wall goes, whether either side's cards reach that cell, and whether a
// soldier changes places with it.
const (
	actionCovered = 1 << iota // the other's cards reach the cell that the pawn goes to
	actionTakes
	actionGeneral
	actionEscapes // the other's cards reach the cell that the pawn leaves
	perAttack     // attack: nothing, a soldier, the general

	actionWall     = 3 * perAttack // and then the cell, three flags each
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
	general := board(1) << s.TheirMaster & full
	for _, a := range legal {
		from, plane := int(a)/perCell, int(a)%perCell
		if plane == planeRest {
			dst = append(dst, uint16(actionPasses+from-passes))
			continue
		}
		slot, d := plane/perSlot, plane%perSlot
		to := from + (d/reachSide-4)*side + d%reachSide - 4
		f := int(theirs>>to&1)*actionCovered + int(s.Theirs>>to&1)*actionTakes + int(theirs>>from&1)*actionEscapes
		if from == int(s.MyMaster) {
			f += actionGeneral
		}
		attacked := (s.cards[1-slot].from(to) | s.cards[sideway].from(to)) & s.Theirs
		switch {
		case attacked&general != 0:
			f += 2 * perAttack
		case attacked != 0:
			f += perAttack
		}
		dst = append(dst, uint16(f))
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
