// Package fourinrow solves positions of Connect Four: it finds their exact values. A [Solver]
// answers questions about one position after the other, and remembers what it found. Two kinds of
// questions take different times: who wins, and after how many plies. The first kind is several
// times faster.
//
// The search is alpha-beta with a window that is always empty: each call asks whether the score of
// a position has at least a certain value. The score combines the result with the number of plies
// to the end. The search leaves out moves that lose immediately, recognises positions in which a
// simple strategy draws or wins, and keeps bounds of scores in a table.
package fourinrow

import (
	"dojo.example/engine"
	"dojo.example/engine/connectfour"
	"dojo.example/search/solve"
)

// A Solver finds the values of positions. Only one goroutine at a time may use a Solver. The values
// do not depend on the size of the table or on earlier questions; the time does.
type Solver struct {
	// Stop is called every few thousand positions. The search ends if it returns true. Stop may be
	// nil.
	Stop func() bool

	table   table
	nodes   uint64
	stopped bool
}

// New returns a Solver that takes at most the given number of bytes, but at least 96 KiB. It takes
// as much as its questions need.
func New(most int64) *Solver {
	// The table is copied when it grows for the last time, so the old table takes a third.
	return &Solver{table: newTable(int(most / 3 * 2 / bucketBytes))}
}

// Nodes returns the number of positions that the Solver has searched.
func (s *Solver) Nodes() uint64 { return s.nodes }

// Value returns the value of p. If plies is false, the number of plies to the end is left out.
// Value returns false if Stop has ended the search.
func (s *Solver) Value(p connectfour.State, plies bool) (v solve.Value, ok bool) {
	score, ok := s.score(p, plies)
	if !ok {
		return v, false
	}
	v.Outcome = outcome(p.ToMove(), score)
	if mine, theirs := p.Bitboards(); plies && score > 0 {
		v.Plies = 2*(mostScore-score-count(mine)) - 1
	} else if plies && score < 0 {
		v.Plies = 2 * (mostScore + score - count(theirs))
	}
	return v, true
}

// Line returns the solved line of p: its value and the values of all its actions. If plies is
// false, numbers of plies are left out, except for a win with the next stone. Line returns false if
// the game is over in p, or if Stop has ended the search.
func (s *Solver) Line(p connectfour.State, plies bool) (solve.Line, bool) {
	return solve.LineOf(p, func(p connectfour.State) (solve.Value, bool) { return s.Value(p, plies) })
}

// Keep returns the actions that keep the result of p, which the caller knows: the outcome under
// best play of both sides. This takes less time than Line. Keep returns false if Stop has ended the
// search.
func (s *Solver) Keep(p connectfour.State, result engine.Outcome) (keep []engine.Action, ok bool) {
	s.stopped = false
	legal := p.Legal(nil)
	if result == engine.WonBy(1-p.ToMove()) {
		return legal, true
	}
	// For a win, the score of the opponent after the action must be below 0. For a draw, it must be
	// below 1.
	limit := 0
	if result == engine.Draw {
		limit = 1
	}
	for i, a := range legal {
		if i == len(legal)-1 && len(keep) == 0 || !s.scoreAtLeast(p.Play(a), limit) {
			keep = append(keep, a)
		}
	}
	return keep, !s.stopped
}

// outcome returns the outcome of a game in which player, who is to move, has the given score.
func outcome(player engine.Player, score int) engine.Outcome {
	switch {
	case score > 0:
		return engine.WonBy(player)
	case score < 0:
		return engine.WonBy(1 - player)
	}
	return engine.Draw
}

// score returns the score of p. If exact is false, it returns only the sign of the score.
func (s *Solver) score(p connectfour.State, exact bool) (score int, ok bool) {
	s.stopped = false
	low, high := -1, 1 // low ≤ score ≤ high
	switch {
	case !s.scoreAtLeast(p, 0):
		high = -1
	case s.scoreAtLeast(p, 1):
		low = 1
	default:
		low, high = 0, 0
	}
	mine, theirs := p.Bitboards()
	stones := count(mine | theirs)
	if exact && high < 0 {
		low = -(cells + 2 - stones) / 2 // the opponent has already won
	} else if exact && low > 0 {
		high = (cells + 1 - stones) / 2 // the player to move wins with the next stone
	}
	for low < high && !s.stopped {
		if middle := low + (high-low+1)/2; s.scoreAtLeast(p, middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, !s.stopped
}

// scoreAtLeast reports whether the score of p is at least beta.
func (s *Solver) scoreAtLeast(p connectfour.State, beta int) bool {
	mine, theirs := p.Bitboards()
	mask := mine | theirs
	stones := count(mask)
	switch {
	case four(theirs):
		return -(cells+2-stones)/2 >= beta
	case stones == cells:
		return beta <= 0
	case completions(mine, mask)&(mask+ground) != 0: // the player to move wins with the next stone
		return (cells+1-stones)/2 >= beta
	}
	return s.atLeast(node{mine, theirs, completions(theirs, mask), stones}, beta)
}
