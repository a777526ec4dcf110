package othello

import (
	"math/bits"

	"dojo.example/engine"
)

// The weights of the evaluation are in hundredths of a disc.
const (
	perMove     = 45  // a cell where a player can play
	perFrontier = 40  // a disc next to an empty cell, which gives the opponent moves
	perStable   = 150 // a disc that can never be turned
	perCorner   = 400 // a corner, in addition to its stable disc
	perX        = 250 // a disc diagonally next to an empty corner
	perC        = 100 // a disc on the edge next to an empty corner
	perDisc     = 100 // a disc, if at most lastCells cells are empty
	lastCells   = 8
)

// cellsX are the cells diagonally next to a corner.
const cellsX uint64 = 1<<9 | 1<<14 | 1<<49 | 1<<54

// Evaluate counts moves, stable discs, corners and frontiers. It also counts discs that make it easy
// for the opponent to take a corner, and close to the end all discs; see engine.StaticEvaluator.
func (b State) Evaluate() int {
	empty := ^(b.mine | b.theirs)
	lines, near := full(empty), around(empty)
	threatened := around(corners & empty) // cells next to empty corners
	worth := func(discs, moves uint64) int {
		atCorners := discs & threatened
		return perMove*count(moves) - perFrontier*count(discs&near) + perStable*count(stable(discs, &lines)) +
			perCorner*count(discs&corners) - perX*count(atCorners&cellsX) - perC*count(atCorners&^cellsX&^corners)
	}
	v := worth(b.mine, b.moves) - worth(b.theirs, movesOf(b.theirs, b.mine))
	if count(empty) <= lastCells {
		v += perDisc * b.lead()
	}
	return v * int(b.mover.Sign())
}

// Hash returns a hash of the position; see engine.Hasher.
func (b State) Hash() uint64 {
	return engine.Mix(engine.Mix(uint64(b.mover), b.mine), b.theirs)
}

// Loud appends the corners where the player to move can play. If the player must pass, Loud appends
// the pass; see engine.Tactician.
func (b State) Loud(dst []engine.Action) (loud []engine.Action, settled bool) {
	if b.moves == 0 {
		return b.Legal(dst), false
	}
	for to := b.moves & corners; to != 0; to &= to - 1 {
		dst = append(dst, engine.Action(bits.TrailingZeros64(to)))
	}
	return dst, true
}

// Late reports whether at most twelve cells are empty; see engine.LateReporter.
func (b State) Late() bool { return cells-count(b.mine|b.theirs) <= 12 }
