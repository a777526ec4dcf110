package wallonitama

import (
	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// These are the channels of the network input, from the perspective of the player to move. The
// first four channels show the men; see fivebyfive.Planes.Men. Each card is shown in two ways: as a
// pattern around the middle of the board, cut off at the edge, and as the cells to which the men on
// the board can move with it.
const (
	chWall     = 4
	chCards    = 5 // channels 5 to 16: the cards; see fivebyfive.Planes.Cards
	chReach    = 10
	chSideBack = 17 // cells that the opponent's men could move to with the side card
	chMyBase   = 18
	chTheirs   = 19 // the opponent's base
	chWalling  = 20 // 1 on every cell if the wall must move now
	chWallTo   = 21 // cells that the wall can move to, if it must move now
	chLeft     = 22 // number of turns left / 50, on every cell
	chOnes     = 23 // 1 on every cell
	channels   = 24
)

// Encode writes the network input; see engine.State.
func (s State) Encode(planes []float32) {
	clear(planes)
	p, wall := fivebyfive.Planes{To: planes, Channels: channels}, board(1)<<s.wall
	p.Men(&s.Sides)
	p.Mark(chWall, wall)
	p.Cards(chCards, &s.Sides, wall, func(i int, men board) board {
		if i == 2 || i == 3 {
			return s.cards[i].turned().reach(men)
		}
		return s.cards[i].reach(men)
	})
	p.Mark(chSideBack, s.cards[sideway].turned().reach(s.Theirs)&^(s.Theirs|wall))
	p.Mark(chMyBase, 1<<base)
	p.Mark(chTheirs, 1<<target)
	p.Fill(chLeft, float32(s.left)/50)
	p.Fill(chOnes, 1)
	if s.walling {
		p.Fill(chWalling, 1)
		for w := range steps {
			if to := s.wallTo(w); to >= 0 {
				p.Mark(chWallTo, 1<<to)
			}
		}
	}
}

// symmetry converts a view to a relabelling of the planes, actions and features.
func symmetry(v fivebyfive.View) engine.Relabelling {
	return engine.Relabelling{
		Element: func(cell, channel int) (int, int) { return v.Cell(cell), v.Card(channel, chCards, chReach) },
		Action: func(a int) int {
			cell, plane := a/perCell, a%perCell
			switch {
			case plane != planeRest:
				return v.Cell(cell)*perCell + v.Card(plane/perSlot, 0)*perSlot + viewStep(v, plane%perSlot)
			case v.Mirror && (cell == left || cell == right):
				cell = left + right - cell
			case cell == passes || cell == passes+1:
				cell = v.Card(cell, passes)
			}
			return int(restAction(cell))
		},
		Feature: func(group, i int) (otherGroup, j int) {
			switch len(feat.groups[group].Each) {
			case cells:
				i = v.Cell(i)
			case perSlot:
				i = viewStep(v, i)
			}
			return v.Card(group, groupCards, groupReach), i
		},
		ActionFeature: func(f int) int {
			switch {
			case f >= actionPasses:
				return actionPasses + v.Card(f-actionPasses, 0)
			case f >= actionWall:
				cell, flags := (f-actionWall)/perWall, (f-actionWall)%perWall
				return actionWall + v.Cell(cell)*perWall + flags
			}
			return f
		},
	}
}

// viewStep returns the image of a step under a view. Both steps are indices into shifts.
func viewStep(v fivebyfive.View, d int) int {
	if v.Mirror {
		return d + reachSide - 1 - 2*(d%reachSide)
	}
	return d
}
