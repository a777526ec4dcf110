// Package connectfour implements Connect Four on seven columns and six rows.
package connectfour

import (
	_ "embed"
	"math/bits"
	"math/rand/v2"

	"dojo.example/engine"
)

// Texts with the rules for people, in English and Vietnamese.
var (
	//go:embed rules.md
	english string
	//go:embed rules.vi.md
	vietnamese string
)

const (
	width, height = 7, 6

	// column is the number of bits of a column: its cells from the bottom up, and one bit that is
	// always 0.
	column = height + 1

	bottomRow = (1<<(width*column) - 1) / (1<<column - 1) // the lowest cell of each column
	board     = bottomRow * (1<<height - 1)               // all cells
)

// steps holds, for each direction of a line, the difference between the bits of neighbouring cells:
// up, right, right and down, right and up.
var steps = [...]int{1, column, column - 1, column + 1}

// State is a position. Each player has a bitboard (a number with one bit for each cell). Bit
// x*column + y is the cell in column x and row y. Both count from 0, and row 0 is at the bottom.
type State struct {
	mine, theirs uint64 // discs of the player to move; discs of the other player
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

		Features:       feat.groups.Count(),
		ActiveFeatures: activeFeatures,
		ActionFeatures: actionFeatures,
		PerAction:      2,
	},
	English:       engine.ParseAbout(english),
	Vietnamese:    engine.ParseAbout(vietnamese),
	Start:         deal,
	Usual:         func() State { return State{} },
	Parse:         Parse,
	FeatureGroups: feat.groups,
}.WithSymmetries(mirror)

// deal returns the start of a game of self-play or of a match: the position after up to mostRandom
// random plies. Few games between good players reach the positions in which a weaker player goes
// wrong, so without random plies a network would not learn them.
func deal(rng *rand.Rand) (s State) {
	const mostRandom = 12
	for n := rng.IntN(mostRandom + 1); n > 0 && s.Outcome() == engine.Ongoing; n-- {
		legal := s.Legal(nil)
		s = s.Play(legal[rng.IntN(len(legal))])
	}
	return s
}

// Bitboards returns the discs of the player to move and of the other player. Bit 7*x + y is the
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

// four reports whether the discs contain four in a row. A row of discs never continues in the next
// column by mistake, because the top bit of each column is 0.
func four(discs uint64) bool {
	for _, step := range steps {
		pairs := discs & (discs >> step)
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

// Play drops a disc into column a; see engine.State.
func (s State) Play(a engine.Action) State {
	full := s.mine | s.theirs
	bottom := uint64(1) << (int(a) * column)
	// The sum carries a bit through the discs of the column to its lowest free cell.
	disc := (full + bottom) &^ full & (bottom * (1<<column - 1))
	return State{mine: s.theirs, theirs: s.mine | disc}
}

// Encode writes two channels: the discs of the player to move and the discs of the other player.
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
	Name:          "mirror",
	Element:       func(cell, channel int) (int, int) { return cell - cell%width + width - 1 - cell%width, channel },
	Action:        func(a int) int { return width - 1 - a },
	Feature:       mirrorFeature,
	ActionFeature: mirrorActionFeature,
}
