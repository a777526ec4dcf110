package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Gridder is a state on a board of rows of cells, whose pages are drawn without code of the game's
// own. People move by clicking the cells that the names of actions have, in their order: from
// and to of "a2b3", or the one cell of "b2".
type Gridder interface {
	Grid() Grid
}

// Grid is a board, row by row from the top.
type Grid struct {
	Rows [][]Cell `json:"rows"`

	// Lines are drawn under the men. Each goes through the middles of the cells with these names,
	// such as {"a1", "e5"} for a diagonal. They are optional.
	Lines [][]string `json:"lines,omitempty"`
}

// Cell is a cell of a Grid.
type Cell struct {
	Name  string `json:"name"`            // as in the names of actions, such as a1
	Owner string `json:"owner,omitempty"` // first or second; "" if it is empty or nobody's
	Piece string `json:"piece,omitempty"` // a letter or two on a disc, or cross, ring or wall; "" is a bare disc
	Mark  string `json:"mark,omitempty"`  // the pages hatch the cell: GoalOfFirst, GoalOfSecond or Special
}

// The marks of cells. They are optional.
const (
	GoalOfFirst  = "first"  // a cell that First wants to reach, in First's colour
	GoalOfSecond = "second" // the same for Second
	Special      = "special"
)

// Check returns an error if the pages cannot draw g.
func (g Grid) Check() error {
	names := map[string]bool{}
	for _, row := range g.Rows {
		if len(row) != len(g.Rows[0]) {
			return fmt.Errorf("a row of the grid has %d cells, and the first has %d", len(row), len(g.Rows[0]))
		}
		for _, c := range row {
			if c.Name == "" || names[c.Name] {
				return fmt.Errorf("a cell of the grid has the name %q, which is empty or taken", c.Name)
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
				return fmt.Errorf("a line of the grid goes through %q, and no cell has this name", name)
			}
		}
	}
	if len(names) == 0 {
		return errors.New("the grid has no cells")
	}
	return nil
}

// ChessGrid returns the grid of a text with a row of characters for each row, from the top, whose
// cells are a1, b1 and so on from the bottom. piece says what a character is; the zero Cell is an
// empty one.
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
