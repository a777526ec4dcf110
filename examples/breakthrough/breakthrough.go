// Package breakthrough implements Breakthrough (Troyka 2000) on a board of eight columns and eight
// rows. It is an example of a game in a module of its own.
package breakthrough

import (
	_ "embed"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"dojo.example/engine"
)

// State is a position. Bit y*8+x stands for the cell in column x and row y. Columns are counted
// from column a, and rows from the home row of the player to move.
type State struct {
	mine, theirs uint64 // men of the player to move; men of the opponent
	mover        engine.Player
}

const (
	side    = 8
	cells   = side * side
	steps   = 3 // diagonally left, straight ahead, diagonally right
	columnA = 0x0101010101010101
	columnH = columnA << 7
	goal    = 0xff << 56
)

// start is the position in which games begin.
var start = State{mine: 0xffff, theirs: 0xffff << 48}

// Texts with the rules for people, in English and Vietnamese.
var (
	//go:embed rules.md
	rulesEN string
	//go:embed rules.vi.md
	rulesVI string
)

// Rules defines Breakthrough for dojo. Action 3*cell+step moves the man on a cell; cells and steps
// are from the perspective of the player to move.
var Rules = engine.Rules[State]{
	Spec: engine.Spec{
		Name:           "breakthrough",
		Version:        1,
		MaxText:        96,
		Actions:        cells * steps,
		Planes:         engine.Shape{C: 2, H: side, W: side},
		MaxPlies:       4*side*(side-2) + 16, // upper bound: each move brings a man one row forward
		Features:       featureGroups.Count(),
		ActiveFeatures: 64,
		ActionFeatures: actionFeatures,
		PerAction:      1,
	},
	Start:         func(*rand.Rand) State { return start },
	Parse:         Parse,
	Protocols:     []engine.Protocol{referee},
	FeatureGroups: featureGroups,
	English:       engine.About{Title: "Breakthrough", Text: rulesEN},
	Vietnamese:    engine.About{Title: "Breakthrough (Đột phá)", Text: rulesVI},
}.WithSymmetries(mirror)

// ToMove returns the player who acts next.
func (s State) ToMove() engine.Player { return s.mover }

// Outcome returns the result of the game. A player wins by moving a man to the last row or by
// capturing all men of the opponent. Only the player who has just moved can have won.
func (s State) Outcome() engine.Outcome {
	if s.theirs&0xff != 0 || s.mine == 0 {
		return engine.WonBy(1 - s.mover)
	}
	return engine.Ongoing
}

// targets returns the cells that men can move to, in three sets: diagonally left, straight ahead
// and diagonally right.
func (s State) targets() [steps]uint64 {
	return [steps]uint64{
		s.mine &^ columnA << 7 &^ s.mine,
		s.mine << 8 &^ (s.mine | s.theirs),
		s.mine &^ columnH << 9 &^ s.mine,
	}
}

// Legal appends the moves of all men. There is always one, because the most advanced man can move.
func (s State) Legal(dst []engine.Action) []engine.Action {
	to := s.targets()
	for men := s.mine; men != 0; men &= men - 1 {
		cell := bits.TrailingZeros64(men)
		for step := range steps {
			if to[step]>>(cell+7+step)&1 == 1 {
				dst = append(dst, engine.Action(steps*cell+step))
			}
		}
	}
	return dst
}

// Play moves a man and rotates the board. If an opponent's man is on the new cell, Play captures
// it.
func (s State) Play(a engine.Action) State {
	from := uint64(1) << (a / steps)
	to := from << (7 + a%steps)
	return State{mine: bits.ReverseBytes64(s.theirs &^ to), theirs: bits.ReverseBytes64(s.mine ^ from | to), mover: 1 - s.mover}
}

// Encode writes two channels: the men of the player to move and the opponent's men.
func (s State) Encode(planes []float32) {
	for i := range cells {
		planes[2*i], planes[2*i+1] = float32(s.mine>>i&1), float32(s.theirs>>i&1)
	}
}

// ActionString returns the man's old cell and its new cell, such as a2b3.
func (s State) ActionString(a engine.Action) string {
	from := int(a) / steps
	return s.cellName(from) + s.cellName(from+7+int(a)%steps)
}

func (s State) cellName(cell int) string {
	x, y := cell%side, cell/side
	if s.mover == engine.Second {
		y = side - 1 - y
	}
	return string([]byte{'a' + byte(x), '1' + byte(y)})
}

var lettering = engine.Lettering{Letters: "ox", Width: side, Rows: "12345678", Name: State{}.cellName}

// rows returns the rows of the board from the top.
func (s State) rows() []string {
	first, second := s.mine, s.theirs
	if s.mover == engine.Second {
		first, second = bits.ReverseBytes64(second), bits.ReverseBytes64(first)
	}
	rows := lettering.Write(first, second)
	slices.Reverse(rows)
	return rows
}

// String returns the rows from the top, with o for First's men and x for Second's, followed by the
// player to move.
func (s State) String() string { return strings.Join(s.rows(), "/") + " " + s.mover.String() }

// Parse parses the text that String returns.
func Parse(text string) (State, error) {
	board, mover, _ := strings.Cut(text, " ")
	r := engine.TextReader{Game: "breakthrough"}
	if mover != "first" && mover != "second" {
		r.Fail("%q is not eight rows with / between them, and first or second", text)
	}
	rows := strings.Split(board, "/")
	slices.Reverse(rows)
	men := lettering.Read(&r, rows)
	s := State{mine: men[0], theirs: men[1]}
	if mover == "second" {
		s = State{mine: bits.ReverseBytes64(men[1]), theirs: bits.ReverseBytes64(men[0]), mover: engine.Second}
	}
	if s.mine&goal != 0 || s.theirs == 0 || bits.OnesCount64(s.mine) > 16 || bits.OnesCount64(s.theirs) > 16 {
		r.Fail("%q cannot be reached: the player to move has won, or somebody has more than 16 men", text)
	}
	return s, r.Err
}

// Draw shows the board with its coordinates.
func (s State) Draw() string {
	var b strings.Builder
	for i, row := range s.rows() {
		fmt.Fprintf(&b, "%d %s\n", side-i, row)
	}
	return b.String() + "  abcdefgh\n"
}

// Grid returns the board, on which people move by clicking; see engine.Gridder.
func (s State) Grid() engine.Grid {
	g := engine.ChessGrid(s.rows(), map[byte]engine.Cell{'o': {Owner: "first"}, 'x': {Owner: "second"}})
	for x := range side {
		g.Rows[0][x].Mark, g.Rows[side-1][x].Mark = engine.GoalOfFirst, engine.GoalOfSecond
	}
	return g
}

// Heuristic returns First's number of men minus Second's number of men.
func (s State) Heuristic() int {
	return int(s.mover.Sign()) * (bits.OnesCount64(s.mine) - bits.OnesCount64(s.theirs))
}

// Hash returns a hash of the position; see engine.Hasher.
func (s State) Hash() uint64 {
	return engine.Mix(engine.Mix(uint64(s.mover), s.mine), s.theirs)
}

// Strikes reports whether p could win with one action; see engine.Striker. This is the case if p
// has a man one step from the last row, or can capture the last man of the opponent.
func (s State) Strikes(p engine.Player) bool {
	if p != s.mover {
		s = State{mine: bits.ReverseBytes64(s.theirs), theirs: bits.ReverseBytes64(s.mine), mover: p}
	}
	to := s.targets()
	return s.mine&(goal>>8) != 0 || s.theirs&(s.theirs-1) == 0 && s.theirs&(to[0]|to[2]) != 0
}
