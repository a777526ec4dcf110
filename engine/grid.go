package engine

import "strconv"

// Gridder is a state on a board of rows of cells, whose pages are drawn without code of the game's
// own. People move by clicking the cells that the names of actions have, in their order: from
// and to of "a2b3", or the one cell of "b2".
type Gridder interface {
	Grid() Grid
}

// Grid is a board, row by row from the top.
type Grid struct {
	Rows [][]Cell `json:"rows"`
}

// Cell is a cell of a Grid.
type Cell struct {
	Name  string `json:"name"`            // as in the names of actions, such as a1
	Owner string `json:"owner,omitempty"` // first or second; "" if it is empty or nobody's
	Piece string `json:"piece,omitempty"` // a letter or two on a disc, or cross, ring or wall; "" is a bare disc
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
