package wallonitama

import (
	"fmt"
	"strconv"
	"strings"

	"dojo/engine"
)

// absolute converts a cell of the mover's view to the board that both see.
func (s State) absolute(cell int) int {
	if s.mover == engine.Second {
		return cells - 1 - cell
	}
	return cell
}

func cellName(cell int) string {
	return string([]byte{'a' + byte(cell/side), '1' + byte(cell%side)})
}

// directions are the wall's letters on the board that both see.
const directions = "uldrs"

// ActionString names an action (section 7): "1e2d1", "2XX", "u".
func (s State) ActionString(a engine.Action) string {
	cell, plane := int(a)/perCell, int(a)%perCell
	switch {
	case plane == planeRest && cell < passes:
		if s.mover == engine.Second && cell != stay {
			cell = (cell + 2) % 4 // up is down from the other side
		}
		return directions[cell : cell+1]
	case plane == planeRest:
		return strconv.Itoa(cell-passes+1) + "XX"
	}
	slot, d := plane/perSlot, plane%perSlot
	to := cell + (d/reachSide-4)*side + d%reachSide - 4
	return strconv.Itoa(slot+1) + cellName(s.absolute(cell)) + cellName(s.absolute(to))
}

// man returns what stands on a cell of the board that both see.
func (s State) man(cell int) byte {
	at := s.absolute(cell)
	men := [2]string{"Aa", "Bb"}
	switch {
	case at == int(s.wall):
		return 'W'
	case s.mine>>at&1 != 0:
		if at == int(s.myGeneral) {
			return men[s.mover][0]
		}
		return men[s.mover][1]
	case s.theirs>>at&1 != 0:
		if at == int(s.theirGeneral) {
			return men[1-s.mover][0]
		}
		return men[1-s.mover][1]
	}
	return '.'
}

func (s State) row(y int) string {
	var line [side]byte
	for x := range line {
		line[x] = s.man(y*side + x)
	}
	return string(line[:])
}

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

// readCard reads 25 characters row by row: one o and crosses x. Other characters are
// empty squares (section 2).
func readCard(text string) (card, error) {
	if len(text) != cells || strings.Count(text, "o") != 1 {
		return card{}, fmt.Errorf("wallonitama: card %q is not 25 characters with one o", text)
	}
	var c card
	for i := range text {
		switch text[i] {
		case 'x':
			c.crosses |= 1 << i
		case 'o':
			c.circle = uint8(i)
		}
	}
	return c, nil
}

// held returns the cards of A and of B and the side card.
func (s State) held() [5]card {
	if s.mover == engine.Second {
		return [5]card{s.cards[2], s.cards[3], s.cards[0], s.cards[1], s.cards[4]}
	}
	return s.cards
}

// String writes the position line of section 7.
func (s State) String() string {
	rows := make([]string, side)
	for y := range rows {
		rows[y] = s.row(y)
	}
	phase := "pawn"
	if s.walling {
		phase = "wall"
	}
	h := s.held()
	return fmt.Sprintf("%s %c %d %s %s %s %s %s %s", strings.Join(rows, "/"), 'A'+byte(s.mover), s.left, h[0], h[1], h[2], h[3], h[4], phase)
}

// Parse reads what String writes, and the original's texts: the assignments of
// a case of setup.m, or the call of an AI function, with literals.
func Parse(text string) (State, error) {
	if isMatlab(text) {
		return parseMatlab(text)
	}
	f := strings.Fields(text)
	if len(f) != 9 {
		return State{}, fmt.Errorf("wallonitama: position %q needs 9 parts (board, mover, turns left, five cards and phase) and has %d", text, len(f))
	}
	if f[1] != "A" && f[1] != "B" {
		return State{}, fmt.Errorf("wallonitama: mover %q is neither A nor B", f[1])
	}
	turns, err := strconv.Atoi(f[2])
	if err != nil || turns < 0 || turns > maxTurns {
		return State{}, fmt.Errorf("wallonitama: turns left %q is not from 0 to %d", f[2], maxTurns)
	}
	var cards [5]card
	for i := range cards {
		if cards[i], err = readCard(f[3+i]); err != nil {
			return State{}, err
		}
	}
	if f[8] != "pawn" && f[8] != "wall" {
		return State{}, fmt.Errorf("wallonitama: phase %q is neither pawn nor wall", f[8])
	}
	return assemble(strings.Split(f[0], "/"), f[1][0], turns, cards, f[8] == "wall")
}

// assemble returns the state of a board as both see it, and of the cards of A and B and
// the side card. It refuses what section 6 refuses.
func assemble(rows []string, mover byte, turns int, cards [5]card, walling bool) (State, error) {
	s := State{myGeneral: gone, theirGeneral: gone, wall: gone, left: uint8(turns), cards: cards, walling: walling}
	if len(rows) != side {
		return s, fmt.Errorf("wallonitama: the board has %d rows, want %d", len(rows), side)
	}
	for y, row := range rows {
		if len(row) != side {
			return s, fmt.Errorf("wallonitama: row %c %q has %d squares, want %d", 'a'+y, row, len(row), side)
		}
		for x := range side {
			if err := s.put(row[x], y*side+x); err != nil {
				return s, err
			}
		}
	}
	switch { // seen by A so far
	case s.wall == gone:
		return s, fmt.Errorf("wallonitama: the board has no wall W")
	case s.wall == base || s.wall == target:
		return s, fmt.Errorf("wallonitama: the wall stands on a base")
	case s.myGeneral == gone && s.theirGeneral == gone:
		return s, fmt.Errorf("wallonitama: the board has no general")
	case s.myGeneral == gone || s.theirGeneral == base:
		s.outcome = engine.SecondWins
	case s.theirGeneral == gone || s.myGeneral == target:
		s.outcome = engine.FirstWins
	case turns == 0:
		s.outcome = engine.Draw
	}
	if mover == 'B' {
		s = s.passed()
		s.walling = walling
	}
	return s, nil
}

func (s *State) put(man byte, cell int) error {
	set := func(to *uint8) error {
		if *to != gone {
			return fmt.Errorf("wallonitama: the board has two %c, on %s and %s", man, cellName(int(*to)), cellName(cell))
		}
		*to = uint8(cell)
		return nil
	}
	switch man {
	case '.', ' ':
	case 'W':
		return set(&s.wall)
	case 'A':
		s.mine |= 1 << cell
		return set(&s.myGeneral)
	case 'B':
		s.theirs |= 1 << cell
		return set(&s.theirGeneral)
	case 'a':
		s.mine |= 1 << cell
	case 'b':
		s.theirs |= 1 << cell
	default:
		return fmt.Errorf("wallonitama: %s holds %q, want one of AaBbW or a dot", cellName(cell), man)
	}
	return nil
}

// Draw shows the board and the cards side by side, each as its holder uses it and the
// side card as the player to move would.
func (s State) Draw() string {
	h := s.held()
	seen := [5]card{h[0], h[1], h[2].turned(), h[3].turned(), h[4]}
	if s.mover == engine.Second {
		seen[4] = h[4].turned()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "               %-16s%-16s%s\n    1 2 3 4 5  1       2       1       2\n", "first (A a)", "second (B b)", "side")
	for y := range side {
		fmt.Fprintf(&b, "  %c %s ", 'a'+y, strings.Join(strings.Split(s.row(y), ""), " "))
		for _, c := range seen {
			fmt.Fprintf(&b, " %s  ", c.String()[y*side:(y+1)*side])
		}
		b.WriteByte('\n')
	}
	due := "a pawn"
	if s.walling {
		due = "the wall"
	}
	fmt.Fprintf(&b, "  %s to move %s, %d turns left\n", s.mover, due, s.left)
	return b.String()
}
