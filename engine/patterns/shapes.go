package patterns

import "fmt"

// grid is the board of a game, and says which bits its cells have.
type grid struct {
	width, height int
	kinds         int                // number of bitboards
	at            func(x, y int) int // Board.Bit
}

// cell is a cell of a board, or the distance from one cell to another.
type cell struct{ x, y int }

// String returns the name of the cell, such as a1 for column 0 and row 0.
func (c cell) String() string { return fmt.Sprintf("%c%d", 'a'+c.x, c.y+1) }

// bit returns the bit of a cell.
func (g grid) bit(c cell) int {
	if g.at == nil {
		return c.y*g.width + c.x
	}
	return g.at(c.x, c.y)
}

// has reports whether c is on the board.
func (g grid) has(c cell) bool { return c.x >= 0 && c.x < g.width && c.y >= 0 && c.y < g.height }

// contents returns the number of contents of n cells.
func (g grid) contents(n int) int {
	all := 1
	for range n {
		all *= g.kinds + 1
	}
	return all
}

// placements returns the groups of cells that the shape covers on the board.
func (g grid) placements(shape Shape) (all [][]cell) {
	for i := range g.width * g.height {
		var cells []cell
		for _, d := range shape {
			if c := (cell{i%g.width + d.x, i/g.width + d.y}); g.has(c) {
				cells = append(cells, c)
			}
		}
		if len(cells) == len(shape) {
			all = append(all, cells)
		}
	}
	return all
}

// A Shape is a group of cells, relative to one of them. [Describe] places it everywhere on the board.
type Shape []cell

// Line returns the straight lines of n cells in all four directions. Line(1) returns a single cell.
func Line(n int) (all []Shape) {
	for _, d := range []cell{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		var s Shape
		for i := range n {
			s = append(s, cell{i * d.x, i * d.y})
		}
		if all = append(all, s); n == 1 {
			break
		}
	}
	return all
}

// Block returns the rectangle of w×h cells, and the rectangle of h×w cells if it is different.
func Block(w, h int) []Shape {
	rectangle := func(w, h int) (s Shape) {
		for i := range w * h {
			s = append(s, cell{i % w, i / w})
		}
		return s
	}
	if w == h {
		return []Shape{rectangle(w, h)}
	}
	return []Shape{rectangle(w, h), rectangle(h, w)}
}
