package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Gridder is implemented by states on a rectangular board of cells. The web pages can draw such a
// board without game-specific code. The user enters an action by clicking the cells that its name
// contains, in the same order: a2 and b3 for "a2b3", or only b2 for "b2".
type Gridder interface {
	Grid() Grid
}

// Grid is a board to draw. Rows lists the cells row by row from the top.
type Grid struct {
	Rows [][]Cell `json:"rows"`

	// Lines are drawn under the men; they are optional. Each line is a list of cell names and
	// passes through the centres of these cells, for example {"a1", "e5"} for a diagonal.
	Lines [][]string `json:"lines,omitempty"`
}

// Cell is a cell of a Grid.
type Cell struct {
	Name string `json:"name"` // name of the cell in action names, such as a1

	// Owner is the owner of the piece: "first" or "second". It is empty if the cell is empty or the
	// piece is neutral.
	Owner string `json:"owner,omitempty"`

	// Piece is one or two letters to show on a disc, or the name of a symbol: "cross", "ring" or
	// "wall". If it is empty, the piece is a plain disc.
	Piece string `json:"piece,omitempty"`

	// Mark is empty, GoalOfFirst, GoalOfSecond or Special. If it is not empty, the pages hatch the
	// cell.
	Mark string `json:"mark,omitempty"`
}

// Values of Cell.Mark.
const (
	GoalOfFirst  = "first"   // a cell that First wants to reach, in First's colour
	GoalOfSecond = "second"  // a cell that Second wants to reach, in Second's colour
	Special      = "special" // any other special cell
)

// Check returns an error if the pages cannot draw g.
func (g Grid) Check() error {
	names := map[string]bool{}
	for _, row := range g.Rows {
		if len(row) != len(g.Rows[0]) {
			return fmt.Errorf("a row of the grid has %d cells, but the first row has %d", len(row), len(g.Rows[0]))
		}
		for _, c := range row {
			if c.Name == "" || names[c.Name] {
				return fmt.Errorf("the name %q of a cell of the grid is empty or used twice", c.Name)
			}
			names[c.Name] = true
			if !slices.Contains([]string{"", GoalOfFirst, GoalOfSecond, Special}, c.Mark) {
				return fmt.Errorf("cell %s of the grid has the mark %q, not first, second or special", c.Name, c.Mark)
			}
		}
	}
	for _, line := range g.Lines {
		for _, name := range line {
			if !names[name] {
				return fmt.Errorf("a line of the grid goes through cell %q, which does not exist", name)
			}
		}
	}
	if len(names) == 0 {
		return errors.New("the grid has no cells")
	}
	return nil
}

// ChessGrid converts a board in text form to a Grid. Each string is a row, from the top, and each
// character a cell. The cells get the names a1, b1 and so on, starting at the bottom. The map piece
// says how to draw each character. A character that is not in the map is an empty cell.
func ChessGrid(rows []string, piece map[byte]Cell) (g Grid) {
	for y, row := range rows {
		var cells []Cell
		for x := range len(row) {
			c := piece[row[x]]
			c.Name = string(rune('a'+x)) + strconv.Itoa(len(rows)-y)
			cells = append(cells, c)
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}
