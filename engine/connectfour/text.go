package connectfour

import (
	"fmt"
	"math/bits"
	"strings"

	"dojo.example/engine"
)

// ActionString returns the letter of the column, from a to g.
func (s State) ActionString(a engine.Action) string { return string(rune('a' + a)) }

// ReadAction reads a column as a letter or as a number from 1; see engine.ActionReader.
func (s State) ReadAction(text string) (engine.Action, error) {
	if len(text) == 1 {
		for _, a := range s.Legal(nil) {
			if text[0] == 'a'+byte(a) || text[0] == 'A'+byte(a) || text[0] == '1'+byte(a) {
				return a, nil
			}
		}
		if strings.Contains("abcdefgABCDEFG1234567", text) {
			return 0, fmt.Errorf("column %s is full", text)
		}
	}
	return 0, fmt.Errorf("%q is not a column; the columns are a to g, or 1 to 7", text)
}

// ReadColumns returns the position after a sequence of columns from the empty board, such as
// "4453" for d, d, e and c.
func ReadColumns(columns string) (s State, err error) {
	for i := range len(columns) {
		if s.Outcome() != engine.Ongoing {
			return s, fmt.Errorf("connectfour: the game of %q is over after %d stones", columns, i)
		}
		a, err := s.ReadAction(columns[i : i+1])
		if err != nil {
			return s, fmt.Errorf("connectfour: stone %d of %q: %w", i+1, columns, err)
		}
		s = s.Play(a)
	}
	return s, nil
}

// rows returns the rows of the board from the top. The stones of First are x, those of Second are
// o, and free cells are dots.
func (s State) rows() (rows []string) {
	x, o := s.mine, s.theirs
	if s.ToMove() == engine.Second {
		x, o = o, x
	}
	for y := height - 1; y >= 0; y-- {
		row := make([]byte, width)
		for c := range row {
			bit := c*column + y
			row[c] = ".xo"[x>>bit&1+2*(o>>bit&1)]
		}
		rows = append(rows, string(row))
	}
	return rows
}

// String returns the rows from the top, separated by slashes; see engine.State.
func (s State) String() string { return strings.Join(s.rows(), "/") }

// Draw returns the board on several lines; see engine.Drawer.
func (s State) Draw() string { return strings.Join(s.rows(), "\n") + "\nabcdefg\n" }

// Parse reads a position that String has written.
func Parse(text string) (State, error) {
	r := engine.TextReader{Game: "connectfour"}
	rows := strings.Split(text, "/")
	if len(rows) != height {
		r.Fail("%q has %d rows, want %d", text, len(rows), height)
		return State{}, r.Err
	}
	var stones [2]uint64 // of First and Second
	for i, row := range rows {
		if len(row) != width {
			r.Fail("row %q has %d cells, want %d", row, len(row), width)
			return State{}, r.Err
		}
		for x := range width {
			switch p := strings.IndexByte("xo", row[x]); {
			case p >= 0:
				stones[p] |= 1 << (x*column + height - 1 - i)
			case row[x] != '.':
				r.Fail("%q is neither x, o nor a dot", row[x])
			}
		}
	}
	s := State{stones[0], stones[1]}
	if s.ToMove() == engine.Second {
		s = State{stones[1], stones[0]}
	}
	if n := bits.OnesCount64(stones[0]) - bits.OnesCount64(stones[1]); n != 0 && n != 1 {
		r.Fail("%q is impossible: there must be as many x as o, or one x more", text)
	}
	if full := s.mine | s.theirs; full&^bottomRow&^(full<<1) != 0 {
		r.Fail("%q is impossible: there is a free cell below a stone", text)
	}
	if four(s.mine) {
		r.Fail("%q is impossible: the player to move has already won", text)
	}
	return s, r.Err
}
