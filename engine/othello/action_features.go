package othello

import "dojo.example/engine"

// An action has two features. The first one describes the opponent's next move: the range of the
// number of cells where the opponent can play, and whether the action changes the opponent's access
// to corners. The second one describes the discs that turn: the range of the number of empty cells
// next to them, the range of their number, and whether the number of empty cells in the quarter of
// the board is odd before the action. The numbers of the features are:
//
//	3*moves + access                        access: 0 no change, 1 opens a corner, 2 closes one
//	openedFirst + 8*open + 2*turned + odd
//	passFeature, for both features of Pass
//
// See mobility, openness and turned for the ranges.
const (
	openedFirst    = 3 * 8
	passFeature    = openedFirst + 6*8
	actionFeatures = passFeature + 1
)

// These tables give the range of a number.
var (
	mobility = [cells]int8(engine.Buckets{0, 1, 2, 3, 4, 6, 8, 11}.Table(0, cells-1))
	openness = [cells]int8(engine.Buckets{0, 1, 2, 3, 5, 8}.Table(0, cells-1))
	turned   = [cells]int8(engine.Buckets{0, 2, 3, 5}.Table(0, cells-1))
)

// ActionFeatures appends the features of each action; see engine.ActionFeatureLister.
func (s State) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	if len(legal) == 1 && legal[0] == Pass {
		return append(dst, passFeature, passFeature)
	}
	var second [mostMoves]uint16
	empty := ^(s.mine | s.theirs)
	before := movesOf(s.theirs, s.mine) & corners
	for i, a := range legal {
		cell, flips := uint64(1)<<(a&63), flipsOf(s.mine, s.theirs, int(a))
		after := movesOf(s.theirs&^flips, s.mine|flips|cell)
		access := 0
		switch {
		case after&corners&^before != 0:
			access = 1
		case before&^after != 0:
			access = 2
		}
		open := count(around(flips) & empty &^ cell)
		quarter := quarters[a>>2&1|a>>4&2]
		dst = append(dst, uint16(3*int(mobility[count(after)])+access))
		second[i] = uint16(openedFirst + 8*int(openness[open]) + 2*int(turned[count(flips)]) + count(empty&quarter)&1)
	}
	return append(dst, second[:len(legal)]...)
}
