package patchwork

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// A patch is an index from 0 to 33: 0 to 25 for the patches A to Z, 26 to 32 for the patches a to
// g, and 33 for the special patch h (rule P1 in rules.md).
const (
	patches      = 33
	special      = 33
	letters      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh"
	orientations = 8
)

// shape is a patch in one orientation, at the top left of the board.
type shape struct {
	mask    quilt
	offsets []int // for each cell of the patch, its number minus the number of the anchor (the cell in the top left corner)
	anchors quilt // where the top left corner can be so that the patch stays on the board
	same    int   // first orientation with the same cells (rule P4 in rules.md)
}

// piece describes a patch: its entry in the table and its shapes.
type piece struct {
	cost, time, income int
	shapes             [orientations]shape
	distinct           []int // one orientation for each different set of cells
}

//go:embed patches.csv
var table string

// pieces contains the patches in the table of rule P1 (see rules.md), followed by the special
// patch.
var pieces = readTable()

func readTable() (all [patches + 1]piece) {
	for i, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		p, rest := &all[i], ""
		if _, err := fmt.Sscanf(line, letters[i:i+1]+",%d,%d,%d,%s", &p.cost, &p.time, &p.income, &rest); err != nil {
			panic(err) // cannot happen: the table is embedded
		}
		drawing, _, _ := strings.Cut(rest, ",")
		for o := range p.shapes {
			p.shapes[o] = newShape(strings.Split(drawing, "/"), o)
			p.shapes[o].same = slices.IndexFunc(p.shapes[:o+1], func(s shape) bool { return s.mask == p.shapes[o].mask })
			if p.shapes[o].same == o {
				p.distinct = append(p.distinct, o)
			}
		}
	}
	return all
}

// newShape returns the shape of a patch in orientation o; rows is a drawing of the patch.
func newShape(rows []string, o int) (s shape) {
	low, high := [2]int{side, side}, [2]int{} // smallest and largest column and row of the patch
	for y, row := range rows {
		for x := range row {
			if row[x] == '#' {
				at := image(y*side+x, o)
				s.offsets = append(s.offsets, at)
				low = [2]int{min(low[0], at%side), min(low[1], at/side)}
				high = [2]int{max(high[0], at%side), max(high[1], at/side)}
			}
		}
	}
	slices.Sort(s.offsets)
	for i := range s.offsets {
		s.offsets[i] -= low[1]*side + low[0]
		s.mask = s.mask.or(bit(s.offsets[i]))
	}
	for cell := range cells {
		if cell%side+high[0]-low[0] < side && cell/side+high[1]-low[1] < side {
			s.anchors = s.anchors.or(bit(cell))
		}
	}
	return s
}

// image returns the image of a cell when a quilt is rotated and mirrored as in orientation o (P3 in
// rules.md).
func image(cell, o int) int {
	x, y := cell%side, cell/side
	if o >= orientations/2 {
		x = side - 1 - x
	}
	for range o % (orientations / 2) {
		x, y = side-1-y, x
	}
	return y*side + x
}

// fits returns the cells where the top left corner of the shape can be, if the patch may lie only
// on free cells (rule P8 in rules.md).
func (s *shape) fits(free quilt) quilt {
	at := s.anchors
	for _, o := range s.offsets {
		at = at.and(free.down(o))
	}
	return at
}
