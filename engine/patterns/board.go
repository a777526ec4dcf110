package patterns

import "fmt"

// Board describes a board, and how a state stores its cells in bitboards of 64 bits.
type Board struct {
	Width, Height int

	// Kinds is the number of kinds of men. A state has one bitboard for each kind. The usual number
	// is 2: the men of the player to move, and the men of the other player.
	Kinds int

	// Bit returns the bit of the cell in column x and row y; both count from 0. If Bit is nil, the
	// bit is y*Width + x.
	Bit func(x, y int) int
}

// cell is a cell of a board, or the distance from one cell to another.
type cell struct{ x, y int }

// String returns the name of the cell, such as a1 for column 0 and row 0.
func (c cell) String() string { return fmt.Sprintf("%c%d", 'a'+c.x, c.y+1) }

// bit returns the bit of a cell.
func (b Board) bit(c cell) int {
	if b.Bit == nil {
		return c.y*b.Width + c.x
	}
	return b.Bit(c.x, c.y)
}

// has reports whether c is on the board.
func (b Board) has(c cell) bool { return c.x >= 0 && c.x < b.Width && c.y >= 0 && c.y < b.Height }

// contents returns the number of contents of n cells.
func (b Board) contents(n int) int {
	all := 1
	for range n {
		all *= b.Kinds + 1
	}
	return all
}

// placements returns the groups of cells that the shape covers on the board.
func (b Board) placements(shape Shape) (all [][]cell) {
	for i := range b.Width * b.Height {
		var cells []cell
		for _, d := range shape {
			if c := (cell{i%b.Width + d.x, i/b.Width + d.y}); b.has(c) {
				cells = append(cells, c)
			}
		}
		if len(cells) == len(shape) {
			all = append(all, cells)
		}
	}
	return all
}

// A Shape is a group of cells, relative to one of them. [New] places it everywhere on the board.
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
