package patchwork

import (
	"encoding/binary"
	"slices"

	"dojo.example/engine"
)

// The weights of the evaluation are in hundredths of a button.
const (
	perButton = 100
	perCover  = 200 // an empty square costs two buttons in the final score (rule P13 in rules.md)
	perTime   = 150 // a square of time left is worth a button or more (rule P9 in rules.md)
	perSeam   = 50  // half the weight of a button: a long seam is hard to fill
	perHole   = 50  // an empty square without empty neighbours is rarely filled
)

// Evaluate counts buttons, covered squares, future income and time left, minus an estimate of how
// hard it is to fill the rest of the quilt; see engine.StaticEvaluator.
func (s State) Evaluate() int { return s.worth(0) - s.worth(1) }

// worth returns the part of the evaluation that belongs to player p.
func (s *State) worth(p uint8) int {
	v := perButton*(int(s.buttons[p])+s.toCome(p)) + perCover*s.quilts[p].count() +
		perTime*int(finish-s.time[p])
	left := int(finish - s.time[p]) // time in which the player can still fill the quilt
	v -= ruggedness(s.quilts[p]) * left / finish
	if s.seven == p+1 {
		v += 7 * perButton
	}
	return v
}

// ruggedness estimates how hard it is to fill the rest of a quilt.
func ruggedness(q quilt) int { return perSeam*q.seam() + perHole*q.holes() }

// Select appends the advance and, for each patch on offer, the placement that leaves the least
// ruggedness; see engine.Selector.
func (s State) Select(dst []engine.Action) []engine.Action {
	if s.Outcome() != engine.Ongoing {
		return dst
	}
	mine := s.quilts[s.seat]
	place := func(k int, p *piece) { // appends the placement of p that leaves the least ruggedness
		best, bestAction := 1<<30, engine.Action(0)
		for _, o := range p.distinct {
			for at := p.shapes[o].fits(whole.without(mine)); at != (quilt{}); {
				cell := at.pop()
				if r := ruggedness(mine.or(p.shapes[o].mask.up(cell))); r < best {
					best, bestAction = r, engine.Action(cell*perCell+k*orientations+o)
				}
			}
		}
		if best < 1<<30 {
			dst = append(dst, bestAction)
		}
	}
	if s.pending {
		place(offers, &pieces[special])
		return dst
	}
	from := len(dst)
	dst = append(dst, planeAdvance)
	for k, patch := range s.onOffer() {
		if p := &pieces[patch]; int(s.buttons[s.seat]) >= p.cost {
			place(k, p)
		}
	}
	slices.Sort(dst[from:])
	return dst
}

// Hash returns a hash of the position; see engine.Hasher. The hash does not include the option
// seven_by_seven, which does not change during a game.
func (s State) Hash() uint64 {
	h := uint64(0)
	for i := 0; i+8 <= len(s.circle); i += 8 {
		h = engine.Mix(h, binary.LittleEndian.Uint64(s.circle[i:]))
	}
	h = engine.Mix(h, uint64(s.circle[patches-1])|uint64(s.left)<<8|uint64(s.time[0])<<16|uint64(s.time[1])<<24|
		uint64(s.income[0])<<32|uint64(s.income[1])<<40|uint64(s.seat)<<48|uint64(s.first)<<50|uint64(s.seven)<<52)
	pending := uint64(0)
	if s.pending {
		pending = 1
	}
	h = engine.Mix(h, uint64(uint16(s.buttons[0]))|uint64(uint16(s.buttons[1]))<<16|pending<<32)
	for _, q := range s.quilts {
		h = engine.Mix(engine.Mix(h, q.lo), q.hi)
	}
	return h
}

// Late reports whether both players have at most twelve squares of time left. This is enough for
// about three patches; see engine.LateReporter.
func (s State) Late() bool { return min(s.time[0], s.time[1]) >= finish-12 }
