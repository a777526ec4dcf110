// Package connectfour implements Connect Four on seven columns and six rows.
package connectfour

import (
	"math/bits"
	"math/rand/v2"

	"dojo.example/engine"
)

const (
	width, height = 7, 6
	column        = height + 1 // number of bits for a column: its cells from the bottom up, and one bit that is always 0

	bottomRow = (1<<(width*column) - 1) / (1<<column - 1) // the lowest cell of each column
)

// State is a position. Each player has a bitboard with one bit for each stone. Bit x*column + y is
// the cell in column x and row y; both count from 0, and row 0 is at the bottom.
type State struct {
	mine, theirs uint64 // stones of the player to move, and of the other player
}

// Rules has the rules of Connect Four.
var Rules = engine.Rules[State]{
	Spec: engine.Spec{
		Name:     "connectfour",
		Version:  1,
		MaxText:  (width + 1) * height,
		Actions:  width,
		Planes:   engine.Shape{C: 2, H: height, W: width},
		MaxPlies: width * height,
	},
	Start: func(*rand.Rand) State { return State{} },
	Parse: Parse,
}.WithSymmetries(mirror)

// Bitboards returns the stones of the player to move and of the other player. Bit 7*x + y is the
// cell in column x and row y; both count from 0, and row 0 is at the bottom. The bits of row 6 are
// always 0.
func (s State) Bitboards() (mine, theirs uint64) { return s.mine, s.theirs }

// ToMove returns the player who acts next; see engine.State.
func (s State) ToMove() engine.Player {
	return engine.Player(bits.OnesCount64(s.mine|s.theirs) % 2)
}

// Outcome checks whether the player who has just moved has four in a row; see engine.State.
func (s State) Outcome() engine.Outcome {
	switch {
	case four(s.theirs):
		return engine.WonBy(1 - s.ToMove())
	case bits.OnesCount64(s.mine|s.theirs) == width*height:
		return engine.Draw
	}
	return engine.Ongoing
}

// four reports whether the stones contain four in a row. The top bit of each column is 0, so a row
// of bits never continues in the next column.
func four(stones uint64) bool {
	for _, step := range [...]int{1, column, column - 1, column + 1} {
		pairs := stones & (stones >> step)
		if pairs&(pairs>>(2*step)) != 0 {
			return true
		}
	}
	return false
}

// Legal appends the columns that are not full; see engine.State.
func (s State) Legal(dst []engine.Action) []engine.Action {
	for x := range width {
		if (s.mine|s.theirs)>>(x*column+height-1)&1 == 0 {
			dst = append(dst, engine.Action(x))
		}
	}
	return dst
}

// Play drops a stone into column a; see engine.State.
func (s State) Play(a engine.Action) State {
	full := s.mine | s.theirs
	bottom := uint64(1) << (int(a) * column)
	stone := (full + bottom) &^ full & (bottom * (1<<column - 1)) // the carry of the sum stops at the lowest free cell
	return State{mine: s.theirs, theirs: s.mine | stone}
}

// Encode writes two channels: the stones of the player to move and those of the other player.
func (s State) Encode(planes []float32) {
	for y := range height {
		for x := range width {
			bit, cell := x*column+y, 2*(y*width+x)
			planes[cell], planes[cell+1] = float32(s.mine>>bit&1), float32(s.theirs>>bit&1)
		}
	}
}

// mirror is the symmetry that exchanges left and right.
var mirror = engine.Relabelling{
	Name:    "mirror",
	Element: func(cell, channel int) (int, int) { return cell - cell%width + width - 1 - cell%width, channel },
	Action:  func(a int) int { return width - 1 - a },
}

// Hash returns a hash of the position; see engine.Hasher.
func (s State) Hash() uint64 { return engine.Mix(engine.Mix(0, s.mine), s.theirs) }
