package ultimate

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"dojo.example/engine"
)

// squareOf lists for each action the number of its cell in the big board, row by row from the top.
// actionAt is the inverse.
var squareOf, actionAt = func() (square, action [cells]int) {
	for a := range cells {
		b, c := a/9, a%9
		square[a] = (b/3*3+c/3)*side + b%3*3 + c%3
		action[square[a]] = a
	}
	return square, action
}()

// ActionString returns the name of a cell, from a1 at the bottom left to i9 at the top right.
func (s State) ActionString(a engine.Action) string { return cellName(squareOf[a]) }

func cellName(square int) string {
	return string([]byte{'a' + byte(square%side), '9' - byte(square/side)})
}

// boardNames lists the names of the small boards, and the name for a free choice.
var boardNames = [boards + 1]string{"nw", "n", "ne", "w", "c", "e", "sw", "s", "se", "any"}

// rows returns the rows of the big board from the top.
func (s State) rows() (rows []string) {
	for y := range side {
		row := make([]byte, side)
		for x := range row {
			a := actionAt[y*side+x]
			switch bit := uint32(1) << (a % word); {
			case s.mine[a/word]&bit != 0:
				row[x] = "xo"[s.mover]
			case s.theirs[a/word]&bit != 0:
				row[x] = "ox"[s.mover]
			default:
				row[x] = '.'
			}
		}
		rows = append(rows, string(row))
	}
	return rows
}

// String returns the rows from the top, with x for First's stones and o for Second's, followed by
// the player to move and the small board in which the next stone must go.
func (s State) String() string {
	return strings.Join(s.rows(), "/") + " " + s.mover.String() + " " + boardNames[s.next]
}

// Parse parses the text that String returns.
func Parse(text string) (State, error) {
	r := engine.TextReader{Game: "ultimate"}
	fields := strings.Split(text, " ")
	if len(fields) != 3 || fields[1] != "first" && fields[1] != "second" {
		r.Fail("%q is not nine rows with / between them, then first or second, then a small board", text)
		return State{}, r.Err
	}
	var s State
	if fields[1] == "second" {
		s.mover = engine.Second
	}
	s.readRows(&r, strings.Split(fields[0], "/"))
	for b := range boards {
		mine, theirs := s.mine.board(b), s.theirs.board(b)
		if isLine[mine] && isLine[theirs] {
			r.Fail("both players have three in a row in the small board %s", boardNames[b])
		}
		if isLine[mine] {
			s.myBoards |= 1 << b
		}
		if isLine[theirs] {
			s.theirBoards |= 1 << b
		}
		if isLine[mine] || isLine[theirs] || mine|theirs == full {
			s.closed |= 1 << b
		}
	}
	s.readNext(&r, fields[2])
	if mine, theirs := s.mine.count(), s.theirs.count(); theirs != mine && theirs != mine+1 || isLine[s.myBoards] {
		r.Fail("%q cannot be reached: the player to move has won or has too many or too few stones", text)
	}
	return s, r.Err
}

func (s *stones) count() int {
	return bits.OnesCount32(s[0]) + bits.OnesCount32(s[1]) + bits.OnesCount32(s[2])
}

// readRows reads the stones from the rows of the big board.
func (s *State) readRows(r *engine.TextReader, rows []string) {
	if len(rows) != side {
		r.Fail("the board has %d rows, want %d", len(rows), side)
		return
	}
	for y, row := range rows {
		if len(row) != side {
			r.Fail("row %d %q has %d cells, want %d", side-y, row, len(row), side)
			return
		}
		for x := range side {
			a := actionAt[y*side+x]
			bit := uint32(1) << (a % word)
			switch row[x] {
			case "xo"[s.mover]:
				s.mine[a/word] |= bit
			case "ox"[s.mover]:
				s.theirs[a/word] |= bit
			case '.':
			default:
				r.Fail("cell %s contains %q, want x, o or a dot", cellName(y*side+x), row[x])
			}
		}
	}
}

// readNext reads the name of the small board in which the next stone must go. The players have a
// free choice only at the start, or if a board is closed.
func (s *State) readNext(r *engine.TextReader, name string) {
	next := slices.Index(boardNames[:], name)
	switch {
	case next < 0:
		r.Fail("%q is not a small board; want one of %s", name, strings.Join(boardNames[:], ", "))
	case next < boards && s.closed>>next&1 != 0:
		r.Fail("the small board %s is won or full, so the next stone may go to any board; want any", name)
	case next == boards && s.closed == 0 && s.mine.count()+s.theirs.count() > 0:
		r.Fail("no small board is won or full, so the next stone must go to one board; want its name instead of any")
	}
	s.next = uint8(max(next, 0))
}

// Draw shows the board with its coordinates, and the small board for the next stone.
func (s State) Draw() string {
	var b strings.Builder
	for y, row := range s.rows() {
		if y == 3 || y == 6 {
			b.WriteString("  ---+---+---\n")
		}
		fmt.Fprintf(&b, "%d %s|%s|%s\n", side-y, row[:3], row[3:6], row[6:])
	}
	return fmt.Sprintf("%s  abc def ghi\nnext: %s\n", b.String(), boardNames[s.next])
}

// Grid returns the board, on which people move by clicking; see engine.Gridder. It marks the won
// small boards in the colour of the winner. Of the other small boards it marks every second one, so
// that people can tell neighbours apart.
func (s State) Grid() engine.Grid {
	g := engine.ChessGrid(s.rows(), map[byte]engine.Cell{
		'x': {Owner: "first", Piece: "cross"}, 'o': {Owner: "second", Piece: "ring"},
	})
	mine, theirs := engine.GoalOfFirst, engine.GoalOfSecond
	if s.mover == engine.Second {
		mine, theirs = theirs, mine
	}
	for a, square := range squareOf {
		cell := &g.Rows[square/side][square%side]
		switch b := a / 9; {
		case s.myBoards>>b&1 != 0:
			cell.Mark = mine
		case s.theirBoards>>b&1 != 0:
			cell.Mark = theirs
		case b%2 == 1:
			cell.Mark = engine.Special
		}
	}
	return g
}
