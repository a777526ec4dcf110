package patterns

import (
	"cmp"
	"fmt"
	"slices"

	"dojo.example/engine"
)

// A grid is the board of a game, and says which bits its cells have.
type grid struct {
	width, height int
	bit           func(x, y int) int
	all           uint64       // the bits of all cells
	cells         map[int]cell // the cell of each bit
}

// newGrid returns the board that has the cells of the planes. See Board.Bit.
func newGrid(planes engine.Shape, bit func(x, y int) int) *grid {
	g := &grid{width: planes.W, height: planes.H, bit: bit, cells: map[int]cell{}}
	if bit == nil {
		g.bit = func(x, y int) int { return y*planes.W + x }
	}
	for i := range g.width * g.height {
		c := cell{i % g.width, i / g.width}
		g.cells[g.at(c)], g.all = c, g.all|1<<g.at(c)
	}
	return g
}

// A cell is a cell of a board, or the distance from one cell to another.
type cell struct{ x, y int }

// String returns the name of the cell, such as a1 for column 0 and row 0.
func (c cell) String() string { return fmt.Sprintf("%c%d", 'a'+c.x, c.y+1) }

// at returns the bit of a cell.
func (g *grid) at(c cell) int { return g.bit(c.x, c.y) }

// has reports whether c is on the board.
func (g *grid) has(c cell) bool { return c.x >= 0 && c.x < g.width && c.y >= 0 && c.y < g.height }

// isCorner reports whether c is a corner of the board.
func (g *grid) isCorner(c cell) bool {
	return (c.x == 0 || c.x == g.width-1) && (c.y == 0 || c.y == g.height-1)
}

// image returns the bit to which a symmetry moves a bit. The symmetry moves each cell c to the cell
// to(c). A number that is not the bit of a cell stays the same.
func (g *grid) image(to func(c cell) cell, bit int) int {
	if c, ok := g.cells[bit]; ok {
		return g.at(to(c))
	}
	return bit
}

// names returns the name of each bit. Bits that are not a cell have a name too, because features are
// numbered by bits; these features are never active.
func (g *grid) names() (all []string) {
	for bit := range noCell {
		name := fmt.Sprintf("bit %d", bit)
		if c, ok := g.cells[bit]; ok {
			name = c.String()
		}
		all = append(all, name)
	}
	return all
}

// placements returns the groups of cells that the shape covers on the board.
func (g *grid) placements(shape Shape) (all [][]cell) {
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

// A Shape is a group of cells, relative to one of them. It can be placed anywhere on a board.
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

// key returns a text that is the same for the same cells in any order.
func key(cells []cell) string {
	sorted := slices.SortedFunc(slices.Values(cells), func(a, b cell) int { return cmp.Or(a.y-b.y, a.x-b.x) })
	return fmt.Sprint(sorted)
}
