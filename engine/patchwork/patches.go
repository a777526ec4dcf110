package patchwork

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// A patch is an index: 0 to 25 for A to Z, 26 to 32 for a to g, 33 for the
// special patch h (P1).
const (
	patches      = 33
	special      = 33
	letters      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh"
	orientations = 8
)

// A shape is a patch in one orientation, at the top left of the board.
type shape struct {
	mask    quilt
	offsets []int // of its cells from the anchor
	anchors quilt // where its top left corner can lie inside the board
	same    int   // the first orientation with the same cells (P4)
}

// A piece is the entry of a patch in the table.
type piece struct {
	cost, time, income int
	shapes             [orientations]shape
}

//go:embed patches.csv
var table string

// pieces is the table of P1, with the special patch.
var pieces = readTable()

func readTable() (all [patches + 1]piece) {
	for i, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		f := strings.Split(line, ",")
		if f[0] != letters[i:i+1] {
			panic(fmt.Sprintf("patchwork: line %d of the table is of patch %s", i+2, f[0]))
		}
		p := &all[i]
		for j, to := range []*int{&p.cost, &p.time, &p.income} {
			n, err := strconv.Atoi(f[1+j])
			if err != nil {
				panic(err) // the table is a constant
			}
			*to = n
		}
		p.shapes = turns(strings.Split(f[4], "/"))
	}
	return all
}

// turns are the eight orientations of P3 of a drawing.
func turns(rows []string) (all [orientations]shape) {
	for o := range all {
		if o == orientations/2 {
			rows = mirrored(rows) // the drawing is back in its first orientation
		}
		all[o] = draw(rows)
		all[o].same = o
		for earlier := range o {
			if all[earlier].mask == all[o].mask {
				all[o].same = earlier
				break
			}
		}
		rows = turned(rows)
	}
	return all
}

// turned returns a drawing turned clockwise.
func turned(rows []string) []string {
	out := make([]string, len(rows[0]))
	for x := range rows[0] {
		for y := len(rows) - 1; y >= 0; y-- {
			out[x] += rows[y][x : x+1]
		}
	}
	return out
}

func mirrored(rows []string) []string {
	out := make([]string, len(rows))
	for y, row := range rows {
		for x := len(row) - 1; x >= 0; x-- {
			out[y] += row[x : x+1]
		}
	}
	return out
}

func draw(rows []string) (s shape) {
	for y, row := range rows {
		for x := range row {
			if row[x] == '#' {
				s.offsets = append(s.offsets, y*side+x)
				s.mask = s.mask.or(bit(y*side + x))
			}
		}
	}
	for cell := range cells {
		if cell%side+len(rows[0]) <= side && cell/side+len(rows) <= side {
			s.anchors = s.anchors.or(bit(cell))
		}
	}
	return s
}

// fits returns the cells where the corner of the shape can lie (P8).
func (s *shape) fits(free quilt) quilt {
	at := s.anchors
	for _, o := range s.offsets {
		at = at.and(free.down(o))
	}
	return at
}
