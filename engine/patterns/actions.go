package patterns

import (
	"math/bits"

	"dojo.example/engine"
)

// actions lists one feature for each legal action. It combines
//
//   - the cell that the action occupies. An action occupies a cell if a man of the player who acts
//     stands there afterwards but not before. Cells that were free before take precedence over
//     captured cells. If the action occupies no cell or several, the cell is noCell;
//   - the effect: flags for who can win, before and after the action;
//   - if the game has Board.Goals, two numbers: how many more free cells complete a goal for the player
//     after the action, and how many more would complete one for the opponent if the opponent's man
//     stood on the cell. Each is 0, 1, or 2 or more;
//   - if the game has no goals but Board.Reach: whether the action captures, and who reaches the cell
//     afterwards.
type actions[S engine.State[S]] struct {
	board   Board[S]
	goals   goals
	perCell int // number of features for each cell
}

// The effect of an action is a sum of these flags.
const (
	wins      = 1 << iota // the action ends the game, and the player who acts wins
	blocks                // before the action, the opponent could have won with one action
	exposes               // after the action, the opponent can win with one action
	threatens             // after the action, the player who acts could win with one more action
	effects
)

// perCell returns the number of features of actions for each cell.
func perCell[S engine.State[S]](b Board[S]) int {
	switch {
	case len(b.Goals) > 0:
		return effects * 3 * 3
	case b.Reach != nil:
		return effects * 2 * 2 * 2
	}
	return effects
}

// append appends the features of the legal actions; see [engine.ActionFeatureLister]. It does not
// allocate memory if dst has room.
func (a *actions[S]) append(s *S, legal []engine.Action, dst []uint16) []uint16 {
	mover := (*s).ToMove()
	threatened := 0
	if a.board.Strikes != nil && a.board.Strikes(*s, 1-mover) {
		threatened = blocks
	}
	mine, theirs := a.board.Men(*s, mover)
	before := [...]uint64{a.goals.completing(mine), a.goals.completing(theirs)}
	for _, action := range legal {
		next := (*s).Play(action)
		after, left := a.board.Men(next, mover)
		cell := occupied(after&^mine, theirs)
		feature := cell*a.perCell + a.effect(next, mover, threatened)
		switch {
		case len(a.goals) > 0:
			feature += effects * a.change(before, theirs, after, cell)
		case a.board.Reach != nil:
			my, their := a.board.Reach(next, mover)
			feature += effects * (4*one(theirs&^left) + 2*one(my>>cell&1) + one(their>>cell&1))
		}
		dst = append(dst, uint16(feature))
	}
	return dst
}

// effect returns the effect of an action after which the position is next.
func (a *actions[S]) effect(next S, mover engine.Player, threatened int) int {
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

// change returns what an action changes in the cells that complete Board.Goals, as a number below 9.
// before has these cells for both players before the action; the player who acts comes first. theirs
// are the opponent's men before the action, and after are the player's men after it.
func (a *actions[S]) change(before [2]uint64, theirs, after uint64, cell int) int {
	occupied := uint64(1) << cell // 0 for noCell
	free := ^(after | theirs | occupied)
	gained := a.goals.completing(after) &^ before[0] & free
	denied := a.goals.completing(theirs|occupied) &^ before[1] & free
	return 3*min(bits.OnesCount64(gained), 2) + min(bits.OnesCount64(denied), 2)
}

// occupied returns the cell that an action occupies, or noCell. fresh has the cells with a man of the
// player that were not his before, and theirs has the opponent's men before the action.
func occupied(fresh, theirs uint64) (cell int) {
	if fresh&^theirs != 0 {
		fresh &^= theirs
	}
	if fresh&(fresh-1) != 0 {
		return noCell
	}
	return bits.TrailingZeros64(fresh) // 64 if there is none
}

// one returns 1 if the set has a cell, and 0 otherwise.
func one(set uint64) int { return min(bits.OnesCount64(set), 1) }
