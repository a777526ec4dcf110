package wallonitama

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

func cellName(cell int) string {
	return string([]byte{'a' + byte(cell/side), '1' + byte(cell%side)})
}

// directions lists the letters of the wall's actions, from First's perspective: up, left, down,
// right, stay.
const directions = "uldrs"

// ActionString returns an action in the notation of section 7 of rules.md: "1e2d1" moves a pawn
// with card 1, "2XX" passes with card 2, and "u" moves the wall up.
func (s State) ActionString(a engine.Action) string {
	cell, plane := int(a)/perCell, int(a)%perCell
	switch {
	case plane == planeRest && cell < passes:
		if s.Mover == engine.Second && cell != stay {
			cell = (cell + 2) % 4 // seen from the opposite side, up is down and left is right
		}
		return directions[cell : cell+1]
	case plane == planeRest:
		return strconv.Itoa(cell-passes+1) + "XX"
	}
	slot, d := plane/perSlot, plane%perSlot
	to := cell + int(shifts[d].by)
	return strconv.Itoa(slot+1) + cellName(s.Absolute(cell)) + cellName(s.Absolute(to))
}

var lettering = engine.Lettering{Letters: "AaBbW", Width: side, Rows: "abcde", Name: cellName}

// rows returns the rows of the board from First's perspective.
func (s State) rows() []string {
	return lettering.Write(append(s.Sets(), 1<<s.Absolute(int(s.wall)))...)
}

// String returns the 25 cells of the card row by row: x for a cross, o for the circle, a dot for an
// empty cell.
func (c card) String() string {
	text := []byte(strings.Repeat(".", cells))
	for i := range text {
		if c.crosses>>i&1 != 0 {
			text[i] = 'x'
		}
	}
	text[c.circle] = 'o'
	return string(text)
}

// readCard parses a card from 25 characters, row by row. The text has one o for the circle, and an
// x for each cross. Other characters are empty cells (section 2 of rules.md).
func readCard(r *engine.TextReader, name, text string) (c card) {
	if len(text) != cells || strings.Count(text, "o") != 1 {
		r.Fail("%s %q is not 25 characters with exactly one o", name, text)
		return c
	}
	for i := range text {
		switch text[i] {
		case 'x':
			c.crosses |= 1 << i
		case 'o':
			c.circle = uint8(i)
		}
	}
	return c
}

// String returns the position in one line, in the format of section 7 of rules.md.
func (s State) String() string {
	phase := "pawn"
	if s.walling {
		phase = "wall"
	}
	h := fivebyfive.Hands(s.Mover, s.cards)
	return fmt.Sprintf("%s %c %d %s %s %s %s %s %s", strings.Join(s.rows(), "/"), 'A'+byte(s.Mover), s.left, h[0], h[1], h[2], h[3], h[4], phase)
}

// Parse parses the text that String returns. It also parses two texts of the original program: the
// assignments of one case in setup.m, and the call of an AI function with literal arguments.
func Parse(text string) (State, error) {
	if strings.ContainsAny(text, "='") { // the text of String contains neither character
		return parseMatlab(text)
	}
	f := strings.Fields(text)
	if len(f) != 9 {
		return State{}, fmt.Errorf("wallonitama: position %q has %d parts, want 9 (board, mover, turns left, five cards and phase)", text, len(f))
	}
	r := engine.TextReader{Game: "wallonitama"}
	if f[1] != "A" && f[1] != "B" {
		r.Fail("mover %q is neither A nor B", f[1])
	}
	turns := r.Number("turns left", f[2], 0, maxTurns)
	var cards [5]card
	for i := range cards {
		cards[i] = readCard(&r, "card", f[3+i])
	}
	if f[8] != "pawn" && f[8] != "wall" {
		r.Fail("phase %q is neither pawn nor wall", f[8])
	}
	return assemble(r, strings.Split(f[0], "/"), f[1], turns, cards, f[8] == "wall")
}

// assemble returns the state with the given rows of the board, from First's perspective, and the
// given cards: two of player A (First), two of player B, and the side card. It returns an error if
// r holds one, or if section 6 of rules.md forbids the position.
func assemble(r engine.TextReader, rows []string, mover string, turns int, cards [5]card, walling bool) (State, error) {
	sides, sets := fivebyfive.Read(&r, &lettering, rows) // from First's perspective
	s := State{Sides: sides, wall: uint8(bits.TrailingZeros64(sets[len(sets)-1])), left: uint8(turns), cards: cards}
	switch {
	case s.wall >= gone:
		r.Fail("the board has no wall W")
	case s.wall == base || s.wall == target:
		r.Fail("the wall is on a base")
	case s.MyMaster == gone && s.TheirMaster == gone:
		r.Fail("the board has no general")
	}
	if r.Err != nil {
		return State{}, r.Err
	}
	if s.outcome = s.Winner(base, target); s.outcome == engine.Ongoing && turns == 0 {
		s.outcome = engine.Draw
	}
	if mover == "B" {
		s = s.passed()
	}
	s.walling = walling
	return s, nil
}

// Draw shows the board and the cards side by side. Each card points in the direction in which its
// holder uses it. The side card points in the direction of the player to move.
func (s State) Draw() string {
	seen := fivebyfive.Hands(s.Mover, s.cards)
	seen[2], seen[3] = seen[2].turned(), seen[3].turned()
	if s.Mover == engine.Second {
		seen[4] = seen[4].turned()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "               %-16s%-16s%s\n    1 2 3 4 5  1       2       1       2\n", "first (A a)", "second (B b)", "side")
	for y, row := range s.rows() {
		fmt.Fprintf(&b, "  %c %s ", 'a'+y, fivebyfive.Spaced(row))
		for _, c := range seen {
			fmt.Fprintf(&b, " %s  ", c.String()[y*side:(y+1)*side])
		}
		b.WriteByte('\n')
	}
	due := "a pawn"
	if s.walling {
		due = "the wall"
	}
	fmt.Fprintf(&b, "  %s to move %s, %d turns left\n", s.Mover, due, s.left)
	return b.String()
}

// ReadAction parses an action; see engine.ActionReader. It accepts "2XXXX" for "2XX". If the action
// is illegal, the error names the first reason in the order in which the original program checks an
// action (section 5 of rules.md).
func (s State) ReadAction(text string) (engine.Action, error) {
	name := text
	if pass, ok := strings.CutSuffix(text, "XXXX"); ok {
		name = pass + "XX"
	}
	legal := s.Legal(nil)
	var names []string
	for _, a := range legal {
		if names = append(names, s.ActionString(a)); names[len(names)-1] == name {
			return a, nil
		}
	}
	refuse := func(why string, args ...any) (engine.Action, error) {
		return 0, fmt.Errorf("wallonitama: %q: "+why, append([]any{text}, args...)...)
	}
	switch {
	case s.outcome != engine.Ongoing:
		return refuse("the game is over")
	case s.walling:
		return refuse("the wall must move now; type one of %s", strings.Join(names, " "))
	case legal[0] == restAction(passes):
		return refuse("no pawn can move; choose a card: 1XX or 2XX")
	case len(name) != 5:
		return refuse("want card, from and to, such as 1e2d1")
	case name[0] != '1' && name[0] != '2':
		return refuse("there is no card %c; the cards are 1 and 2", name[0])
	}
	cells := fivebyfive.Names(lettering)
	from, to := slices.Index(cells, name[1:3]), slices.Index(cells, name[3:5])
	if from < 0 || to < 0 {
		return refuse("squares are a1 to e5")
	}
	from, to = s.Absolute(from), s.Absolute(to)
	switch {
	case s.Mine>>from&1 == 0:
		return refuse("you have no pawn on %s", name[1:3])
	case s.cards[name[0]-'1'].from(from)>>to&1 == 0:
		return refuse("card %c has no step from %s to %s", name[0], name[1:3], name[3:5])
	case to == int(s.wall):
		return refuse("the wall is on %s", name[3:5])
	}
	return refuse("your own pawn is on %s", name[3:5])
}
