package othello

import (
	"fmt"
	"math/bits"
	"strings"

	"dojo.example/engine"
)

// passName is the name of the action Pass.
const passName = "pass"

// ActionString returns the cell, such as d3, or "pass"; see engine.State.
func (b State) ActionString(a engine.Action) string {
	if a == Pass {
		return passName
	}
	return cellName(int(a))
}

func cellName(cell int) string {
	return string([]byte{'a' + byte(cell%side), '1' + byte(cell/side)})
}

// ReadAction reads the name of an action also in capital letters. If the action is illegal, the
// error says why; see engine.ActionReader.
func (b State) ReadAction(text string) (engine.Action, error) {
	name := strings.ToLower(text)
	if name == passName {
		if b.moves != 0 {
			return 0, fmt.Errorf("%q is illegal: you can play %s, so you may not pass", text, cellName(bits.TrailingZeros64(b.moves)))
		}
		return Pass, nil
	}
	if len(name) != 2 || name[0] < 'a' || name[0] > 'h' || name[1] < '1' || name[1] > '8' {
		return 0, fmt.Errorf("%q is neither a cell, such as d3, nor %s", text, passName)
	}
	cell := int(name[0]-'a') + side*int(name[1]-'1')
	switch {
	case (b.mine|b.theirs)>>cell&1 != 0:
		return 0, fmt.Errorf("%q is illegal: there is already a disc", text)
	case b.moves>>cell&1 == 0:
		return 0, fmt.Errorf("%q is illegal: a disc there turns no disc of the opponent", text)
	}
	return engine.Action(cell), nil
}

var lettering = engine.Lettering{Letters: "xo", Width: side, Rows: "12345678", Name: cellName}

// rows returns the rows of the board from the top, with x for black discs and o for white ones.
func (b *State) rows() []string {
	black, white := b.mine, b.theirs
	if b.mover == engine.Second {
		black, white = white, black
	}
	return lettering.Write(black, white)
}

// String returns the rows from the top and the player to move; see engine.State.
func (b State) String() string { return strings.Join(b.rows(), "/") + " " + b.mover.String() }

// parse reads the text that String returns.
func parse(text string) (State, error) {
	rows, mover, _ := strings.Cut(text, " ")
	r := engine.TextReader{Game: "othello"}
	if mover != "first" && mover != "second" {
		r.Fail("%q is not eight rows with / between them, followed by first or second", text)
	}
	discs := lettering.Read(&r, strings.Split(rows, "/"))
	if middle := begin.mine | begin.theirs; (discs[0]|discs[1])&middle != middle {
		r.Fail("%q cannot be reached: one of the four cells in the middle is empty", text)
	}
	if r.Err != nil {
		return State{}, r.Err
	}
	if mover == "second" {
		return newBoard(discs[1], discs[0], engine.Second), nil
	}
	return newBoard(discs[0], discs[1], engine.First), nil
}

// Draw returns the board with its coordinates. A cell where the player to move can play has a *; see
// engine.Drawer.
func (b State) Draw() string {
	var out strings.Builder
	out.WriteString("  a b c d e f g h\n")
	for y, row := range b.rows() {
		fmt.Fprintf(&out, "%d", y+1)
		for x := range side {
			c := row[x]
			if b.moves>>(y*side+x)&1 != 0 {
				c = '*'
			}
			out.WriteByte(' ')
			out.WriteByte(c)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// Grid returns the board for the pages; see engine.Gridder.
func (b State) Grid() (g engine.Grid) {
	owner := map[byte]string{'x': "first", 'o': "second"}
	for y, row := range b.rows() {
		var cells []engine.Cell
		for x := range side {
			cells = append(cells, engine.Cell{Name: cellName(y*side + x), Owner: owner[row[x]]})
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}
