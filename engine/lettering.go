package engine

import (
	"bytes"
	"strings"
)

// A Lettering is how a game writes a board in rows: each letter stands for a set of cells, such as
// those of a player's men, and a dot for an empty cell. The cells of the first row are bits 0, 1
// and so on of a set.
type Lettering struct {
	Letters string
	Width   int
	Rows    string                // their names, a character each
	Name    func(cell int) string // of a cell
}

// Write returns the rows of a board with a set for each letter.
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

// Read returns the set of each letter in the rows of a board. A blank is an empty cell too.
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
				r.Fail("%s holds %q, want one of %s or a dot", l.Name(cell), row[x], l.Letters)
			}
		}
	}
	return sets
}
