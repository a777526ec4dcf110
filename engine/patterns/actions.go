package patterns

import (
	"math/bits"
	"slices"

	"dojo.example/engine"
)

// actions lists two features for each legal action. The first says how the action changes who can
// win with one action. The second is the content of the eight cells around the cell that the action
// occupies, after the action. The action occupies a cell if a man of the player who acts stands there
// afterwards but not before. Cells that were empty before take precedence over captured cells. If
// the action occupies no cell or several cells, the content is 0.
type actions[S engine.State[S]] struct {
	board   Board[S]
	around  [64]uint64     // the neighbours of each cell
	weights [64][64]uint16 // the weight of each neighbour in the content
}

// Features of actions are numbered as follows: the first feature is a sum of these flags, and the
// second is flags plus the content of the neighbours.
const (
	wins      = 1 << iota // the action ends the game, and the player who acts wins
	blocks                // before the action, the opponent could have won with one action
	exposes               // after the action, the opponent can win with one action
	threatens             // after the action, the player who acts could win with one more action
	flags

	actionFeatures = flags + 3*3*3*3*3*3*3*3 // number of features of actions
)

// newActions returns the features of actions of a game.
func newActions[S engine.State[S]](g grid, b Board[S]) *actions[S] {
	a := &actions[S]{board: b}
	for i := range g.width * g.height {
		c, weight := cell{i % g.width, i / g.width}, uint16(1)
		for _, d := range ring {
			if n := (cell{c.x + d.x, c.y + d.y}); g.has(n) {
				a.around[g.bit(c)] |= 1 << g.bit(n)
				a.weights[g.bit(c)][g.bit(n)] = weight
			}
			weight *= 3
		}
	}
	return a
}

// ring lists the distances to the eight neighbours of a cell.
var ring = [...]cell{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}

// append appends the features of the legal actions; see [engine.ActionFeatureLister]. It does not
// allocate memory if dst has room.
func (a *actions[S]) append(s *S, legal []engine.Action, dst []uint16) []uint16 {
	mover := (*s).ToMove()
	threatened := uint16(0)
	if a.board.Strikes != nil && a.board.Strikes(*s, 1-mover) {
		threatened = blocks
	}
	first := len(dst)
	dst = slices.Grow(dst, 2*len(legal))[:first+2*len(legal)]
	before := a.board.Men(*s)
	for i, action := range legal {
		next := (*s).Play(action)
		dst[first+i] = a.effect(next, mover, threatened)
		men := a.board.Men(next)
		mine, theirs := men.mine(), men.theirs()
		if next.ToMove() != mover {
			mine, theirs = theirs, mine
		}
		dst[first+len(legal)+i] = flags
		if bit, one := occupied(mine&^before.mine(), before.theirs()); one {
			dst[first+len(legal)+i] += a.neighbours(bit, mine, theirs)
		}
	}
	return dst
}

// effect returns the first feature of an action after which the position is next.
func (a *actions[S]) effect(next S, mover engine.Player, threatened uint16) uint16 {
	switch over := next.Outcome(); {
	case over == engine.WonBy(mover):
		return wins | threatened
	case over != engine.Ongoing || a.board.Strikes == nil:
		return threatened
	}
	if a.board.Strikes(next, 1-mover) {
		threatened |= exposes
	}
	if a.board.Strikes(next, mover) {
		threatened |= threatens
	}
	return threatened
}

// occupied returns the cell that an action occupies. fresh has the cells with a man of the player
// that were not his before, and theirs has the opponent's men before the action. occupied returns
// false if the action occupies no cell or several.
func occupied(fresh, theirs uint64) (bit int, one bool) {
	if fresh&^theirs != 0 {
		fresh &^= theirs
	}
	return bits.TrailingZeros64(fresh) & 63, fresh != 0 && fresh&(fresh-1) == 0
}

// neighbours returns the content of the cells around a cell.
func (a *actions[S]) neighbours(bit int, mine, theirs uint64) (content uint16) {
	weights := &a.weights[bit]
	for set := mine & a.around[bit]; set != 0; set &= set - 1 {
		content += weights[bits.TrailingZeros64(set)]
	}
	for set := theirs & a.around[bit]; set != 0; set &= set - 1 {
		content += 2 * weights[bits.TrailingZeros64(set)]
	}
	return content
}

// ringImage returns the images of the features of actions under a symmetry that moves the man on cell
// c to the cell to(c) and changes no man.
func ringImage(to func(c cell) cell) (image []uint16) {
	for f := range uint16(flags) {
		image = append(image, f)
	}
	var weights []int // the weight of each neighbour in the image
	middle := to(cell{1, 1})
	for _, d := range ring {
		moved, weight := to(cell{1 + d.x, 1 + d.y}), 1
		for range slices.Index(ring[:], cell{moved.x - middle.x, moved.y - middle.y}) {
			weight *= 3
		}
		weights = append(weights, weight)
	}
	for content := range actionFeatures - flags {
		moved := 0
		for _, w := range weights {
			moved += w * (content % 3)
			content /= 3
		}
		image = append(image, uint16(flags+moved))
	}
	return image
}
