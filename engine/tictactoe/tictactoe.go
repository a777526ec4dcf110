// Package tictactoe implements tic-tac-toe. It is the example to copy when you add a game. Many
// tests use it, because it is small and complete.
package tictactoe

import (
	_ "embed"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"dojo.example/engine"
)

// Texts with the rules for people, in English and Vietnamese.
var (
	//go:embed rules.md
	english string
	//go:embed rules.vi.md
	vietnamese string
)

// State is a position. It has one bit per cell and player; cell 0 is at the top left.
type State struct {
	mine, theirs uint16 // stones of the player to move; stones of the opponent
	mover        engine.Player
}

// Rules defines tic-tac-toe for the engine.
var Rules = engine.Rules[State]{
	Spec: engine.Spec{
		Name:     "tictactoe",
		Version:  1,
		MaxText:  9,
		Actions:  9,
		Planes:   engine.Shape{C: 2, H: 3, W: 3},
		MaxPlies: 9,

		Features:       18,
		ActiveFeatures: 9,
	},
	English:       engine.ParseAbout(english),
	Vietnamese:    engine.ParseAbout(vietnamese),
	Start:         func(*rand.Rand) State { return State{} },
	Parse:         Parse,
	FeatureGroups: featureGroups,
}.WithSymmetries(
	permute("rotate 90", [9]int{2, 5, 8, 1, 4, 7, 0, 3, 6}),
	permute("rotate 180", [9]int{8, 7, 6, 5, 4, 3, 2, 1, 0}),
	permute("rotate 270", [9]int{6, 3, 0, 7, 4, 1, 8, 5, 2}),
	permute("mirror columns", [9]int{2, 1, 0, 5, 4, 3, 8, 7, 6}),
	permute("mirror rows", [9]int{6, 7, 8, 3, 4, 5, 0, 1, 2}),
	permute("transpose", [9]int{0, 3, 6, 1, 4, 7, 2, 5, 8}),
	permute("antitranspose", [9]int{8, 5, 2, 7, 4, 1, 6, 3, 0}),
)

const full = 1<<9 - 1

var lines = [...]uint16{0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124}

// ToMove returns the player who acts next.
func (s State) ToMove() engine.Player { return s.mover }

// Outcome returns the result of the game, or Ongoing if it is not over.
func (s State) Outcome() engine.Outcome {
	for _, l := range lines {
		if s.theirs&l == l { // only the player who has just moved can have won
			return engine.WonBy(1 - s.mover)
		}
	}
	if s.mine|s.theirs == full {
		return engine.Draw
	}
	return engine.Ongoing
}

// Legal appends the empty cells.
func (s State) Legal(dst []engine.Action) []engine.Action {
	for free := full &^ (s.mine | s.theirs); free != 0; free &= free - 1 {
		dst = append(dst, engine.Action(bits.TrailingZeros16(free)))
	}
	return dst
}

// Play puts a stone of the player to move on the cell with index a.
func (s State) Play(a engine.Action) State {
	return State{mine: s.theirs, theirs: s.mine | 1<<a, mover: 1 - s.mover}
}

// ActionString returns the name of a cell, from a1 at the bottom left to c3 at the top right.
func (s State) ActionString(a engine.Action) string {
	return string([]byte{'a' + byte(a%3), '3' - byte(a/3)})
}

var lettering = engine.Lettering{Letters: "xo", Width: 3, Rows: "321", Name: func(cell int) string { return State{}.ActionString(engine.Action(cell)) }}

// rows returns the rows of the board from the top.
func (s State) rows() []string {
	x, o := uint64(s.mine), uint64(s.theirs)
	if s.mover == engine.Second {
		x, o = o, x
	}
	return lettering.Write(x, o)
}

// String returns the cells row by row from the top. Each cell is x, o or a dot.
func (s State) String() string { return strings.Join(s.rows(), "") }

// Draw shows the board with its coordinates.
func (s State) Draw() string {
	rows := s.rows()
	return fmt.Sprintf("3 %s\n2 %s\n1 %s\n  abc\n", rows[0], rows[1], rows[2])
}

// Grid returns the board; see engine.Gridder.
func (s State) Grid() engine.Grid {
	return engine.ChessGrid(s.rows(), map[byte]engine.Cell{
		'x': {Owner: "first", Piece: "cross"}, 'o': {Owner: "second", Piece: "ring"},
	})
}

// Parse parses the text that String returns.
func Parse(text string) (State, error) {
	if len(text) != 9 {
		return State{}, fmt.Errorf("tictactoe: position %q has %d cells, want 9", text, len(text))
	}
	r := engine.TextReader{Game: "tictactoe"}
	sets := lettering.Read(&r, []string{text[:3], text[3:6], text[6:]})
	x, o := uint16(sets[0]), uint16(sets[1])
	switch bits.OnesCount16(x) - bits.OnesCount16(o) {
	case 0:
		return State{mine: x, theirs: o, mover: engine.First}, r.Err
	case 1:
		return State{mine: o, theirs: x, mover: engine.Second}, r.Err
	}
	r.Fail("position %q is impossible: it must have as many x as o, or one x more", text)
	return State{}, r.Err
}

// Hash returns a hash of the position; see engine.Hasher.
func (s State) Hash() uint64 {
	return engine.Mix(0, uint64(s.mine)|uint64(s.theirs)<<16|uint64(s.mover)<<32)
}

// Late reports whether at most four cells are empty; see engine.LateReporter.
func (s State) Late() bool { return bits.OnesCount16(s.mine|s.theirs) >= 5 }
