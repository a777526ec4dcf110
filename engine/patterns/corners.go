package patterns

import (
	"fmt"
	"slices"
	"strings"

	"dojo.example/engine"
)

// A corner is a group of cells, of which one is a corner of the board. Its content is a number: digit
// i, in base 3, is 0 if cell i is free, 1 if the man of the player to move is on it, and 2 if the
// opponent's man is on it.
type corner struct {
	cells   []cell
	bits    []uint8  // the bit of each cell
	weights []uint16 // the value of each digit
}

// newCorners returns the placements of the shapes that cover a corner.
func newCorners(g *grid, shapes []Shape) (all []corner) {
	for _, shape := range shapes {
		for _, cells := range g.placements(shape) {
			if !slices.ContainsFunc(cells, g.isCorner) {
				continue
			}
			c := corner{cells: cells}
			for i, at := range cells {
				c.bits, c.weights = append(c.bits, uint8(g.at(at))), append(c.weights, uint16(contents(i)))
			}
			all = append(all, c)
		}
	}
	return all
}

// contents returns the number of contents of n cells.
func contents(n int) int {
	all := 1
	for range n {
		all *= 3
	}
	return all
}

// content returns the content of the cells.
func (c *corner) content(mine, theirs uint64) (sum uint16) {
	for i, bit := range c.bits {
		sum += c.weights[i] * uint16(mine>>(bit&63)&1+theirs>>(bit&63)&1*2)
	}
	return sum
}

// addTo adds a group with a feature for each content, such as "x.o." for a man of mine on the first
// cell and a man of theirs on the third.
func (c *corner) addTo(groups *engine.FeatureGroups) {
	var names, cells []string
	for content := range contents(len(c.cells)) {
		var name []byte
		for range c.cells {
			name = append(name, ".xo"[content%3])
			content /= 3
		}
		names = append(names, string(name))
	}
	for _, at := range c.cells {
		cells = append(cells, at.String())
	}
	groups.Add(strings.Join(cells, " "), names...)
}

// cornerImage returns the image of a content under a symmetry: the number of the corner that it moves
// to, and the content there. The symmetry moves the man on each cell c to the cell to(c).
func cornerImage(all []corner, to func(c cell) cell, number, content int) (otherNumber, otherContent int) {
	var moved []cell
	for _, c := range all[number].cells {
		moved = append(moved, to(c))
	}
	other := slices.IndexFunc(all, func(c corner) bool { return key(c.cells) == key(moved) })
	if other < 0 {
		panic(fmt.Sprintf("patterns: a symmetry moves %v to %v, which is no corner", all[number].cells, moved))
	}
	image := 0
	for _, c := range moved {
		image += content % 3 * contents(slices.Index(all[other].cells, c))
		content /= 3
	}
	return other, image
}
