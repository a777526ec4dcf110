package patterns

import (
	"math/bits"

	"dojo.example/engine"
)

// Actions describes legal actions by what they change. Each action has two features
// (Spec.PerAction = 2). The first says how the action changes who can win with one action. The
// second is the content of the eight cells around the cell that the action occupies, after the
// action. A man stands on that cell after the action that did not stand there before; if an action
// moves or turns several men, it is a cell that was empty, or else the cell with the lowest bit.
type Actions[S engine.State[S]] struct {
	board   Board
	men     func(s S) (mine, theirs uint64)
	strikes func(s S, p engine.Player) bool
	around  [64]uint64     // the neighbours of each cell
	weights [64][64]uint16 // weight of each neighbour of each cell
}

// Features of actions are numbered as follows: the first feature is a sum of these flags, and the
// second is ActionFlags plus the content of the neighbours.
const (
	wins      = 1 << iota // the action ends the game, and the player who acts wins
	blocks                // before the action, the opponent could have won with one action
	exposes               // after the action, the opponent can win with one action
	threatens             // after the action, the player who acts could win with one more action
	flags

	// ActionFeatures is the number of features of [Actions], for Spec.ActionFeatures.
	ActionFeatures = flags + 6561
)

// NewActions returns the features of actions of a game on a board with two kinds of men. The
// function men returns the bitboards of a state: the men of the player to move, and those of the
// other player. The function strikes is the method Strikes of the state; see [engine.Striker]. If
// strikes is nil, the only flag is the one of winning actions.
func NewActions[S engine.State[S]](b Board, men func(s S) (mine, theirs uint64), strikes func(s S, p engine.Player) bool) *Actions[S] {
	a := &Actions[S]{board: b, men: men, strikes: strikes}
	for i := range b.Width * b.Height {
		c, weight := cell{i % b.Width, i / b.Width}, uint16(1)
		for _, d := range ring {
			if n := (cell{c.x + d.x, c.y + d.y}); b.has(n) {
				a.around[b.bit(c)] |= 1 << b.bit(n)
				a.weights[b.bit(c)][b.bit(n)] = weight
			}
			weight *= 3
		}
	}
	return a
}

// ring lists the distances to the eight neighbours of a cell.
var ring = [...]cell{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}

// Append appends the features of the legal actions of s; see [engine.ActionFeatureLister]. It does
// not allocate memory if dst has room.
func (a *Actions[S]) Append(dst []uint16, s S, legal []engine.Action) []uint16 {
	mover := s.ToMove()
	threatened := uint16(0)
	if a.strikes != nil && a.strikes(s, 1-mover) {
		threatened = blocks
	}
	first := len(dst)
	for range legal {
		dst = append(dst, 0, 0)
	}
	mine, theirs := a.men(s)
	for i, action := range legal {
		next := s.Play(action)
		now, other := a.men(next)
		if next.ToMove() != mover {
			now, other = other, now
		}
		dst[first+i] = a.effect(next, mover, threatened)
		dst[first+len(legal)+i] = flags + a.neighbours(occupied(now&^mine, theirs), now, other)
	}
	return dst
}

// effect returns the first feature of an action after which the position is next.
func (a *Actions[S]) effect(next S, mover engine.Player, threatened uint16) uint16 {
	switch over := next.Outcome(); {
	case over == engine.WonBy(mover):
		return wins | threatened
	case over != engine.Ongoing || a.strikes == nil:
		return threatened
	}
	if a.strikes(next, 1-mover) {
		threatened |= exposes
	}
	if a.strikes(next, mover) {
		threatened |= threatens
	}
	return threatened
}

// occupied returns the bit of the cell that an action occupies. fresh has the cells with a man of
// the player that were not his before, and theirs has the opponent's men before the action. If the
// action occupies no cell, the bit is 0.
func occupied(fresh, theirs uint64) int {
	if fresh&^theirs != 0 {
		fresh &^= theirs
	}
	return bits.TrailingZeros64(fresh) & 63
}

// neighbours returns the content of the cells around a cell.
func (a *Actions[S]) neighbours(bit int, mine, theirs uint64) (content uint16) {
	weights := &a.weights[bit]
	for set := mine & a.around[bit]; set != 0; set &= set - 1 {
		content += weights[bits.TrailingZeros64(set)]
	}
	for set := theirs & a.around[bit]; set != 0; set &= set - 1 {
		content += 2 * weights[bits.TrailingZeros64(set)]
	}
	return content
}

// Image returns the function Relabelling.ActionFeature of a symmetry that moves a man by the
// distance (x, y) instead of by the distance (dx, dy) if it moves the cell (dx, dy) next to a cell
// to the cell (x, y) next to its image. The symmetry must not change any man.
func (a *Actions[S]) Image(to func(dx, dy int) (x, y int)) func(f int) int {
	return func(f int) int {
		if f < flags {
			return f
		}
		content, image := f-flags, 0
		for _, d := range ring {
			x, y := to(d.x, d.y)
			weight := 1
			for _, other := range ring {
				if other == (cell{x, y}) {
					break
				}
				weight *= 3
			}
			image += weight * (content % 3)
			content /= 3
		}
		return flags + image
	}
}
