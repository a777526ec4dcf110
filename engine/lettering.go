package engine

import (
	"bytes"
	"strings"
)

// Lettering describes how a game writes a board as rows of characters. Each letter stands for a set
// of cells, such as the cells of a player's men. A dot is an empty cell. A set is a bit mask in
// which the cells of the first row are the lowest bits.
type Lettering struct {
	Letters string
	Width   int
	Rows    string                // names of the rows, one character each
	Name    func(cell int) string // returns the name of a cell, for error messages
}

// Write returns the rows of a board. It takes one set of cells for each letter.
func (l *Lettering) Write(sets ...uint64) (rows []string) {
	for y := range len(l.Rows) {
		row := bytes.Repeat([]byte{'.'}, l.Width)
		for x := range row {
			for i, set := range sets {
				if set>>(y*l.Width+x)&1 != 0 {
					row[x] = l.Letters[i]
				}
			}
		}
		rows = append(rows, string(row))
	}
	return rows
}

// Read returns the set of cells for each letter. Rows are in the same format as for Write. A space
// also stands for an empty cell.
func (l *Lettering) Read(r *TextReader, rows []string) []uint64 {
	sets := make([]uint64, len(l.Letters))
	if len(rows) != len(l.Rows) {
		r.Fail("the board has %d rows, want %d", len(rows), len(l.Rows))
		return sets
	}
	for y, row := range rows {
		if len(row) != l.Width {
			r.Fail("row %c %q has %d cells, want %d", l.Rows[y], row, len(row), l.Width)
			continue
		}
		for x := range l.Width {
			cell := y*l.Width + x
			if i := strings.IndexByte(l.Letters, row[x]); i >= 0 {
				sets[i] |= 1 << cell
			} else if row[x] != '.' && row[x] != ' ' {
				r.Fail("cell %s contains %q, want one of %s or a dot", l.Name(cell), row[x], l.Letters)
			}
		}
	}
	return sets
}
