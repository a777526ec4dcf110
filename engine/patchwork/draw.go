package patchwork

import (
	"fmt"
	"strings"

	"dojo.example/engine"
)

// Draw shows the patches on offer with their costs, the time board and both quilts.
func (s State) Draw() string {
	var b strings.Builder
	row := func(cell func(p *piece, patch uint8) string) {
		var line strings.Builder
		for _, patch := range s.onOffer() {
			fmt.Fprintf(&line, "  %-24s", cell(&pieces[patch], patch))
		}
		fmt.Fprintln(&b, strings.TrimRight(line.String(), " "))
	}
	row(func(p *piece, patch uint8) string {
		return fmt.Sprintf("%c: costs %d, time %d", letters[patch], p.cost, p.time)
	})
	row(func(p *piece, _ uint8) string { return fmt.Sprintf("   income %d", p.income) })
	for y := range 5 {
		row(func(p *piece, _ uint8) string { return "   " + p.shapes[0].mask.row(y, '#', ' ') })
	}
	if s.left > offers {
		fmt.Fprintf(&b, "  then %s\n", lettersOf(s.circle[offers:s.left]))
	}
	b.WriteString("\n    ABCDEFGHI      ABCDEFGHI\n")
	for y := range side {
		first, second := s.quilts[0].row(y, '#', '.'), s.quilts[1].row(y, '#', '.')
		fmt.Fprintf(&b, "  %c %s    %[1]c %[3]s\n", 'A'+y, first, second)
	}
	b.WriteString(s.timeBoard())
	for p := range 2 {
		fmt.Fprintf(&b, "  %-6s square %d of %d, %d buttons, income %d\n", engine.Player(p), s.time[p], finish, s.buttons[p], s.income[p])
	}
	fmt.Fprintf(&b, "  %s to move%s\n", engine.Player(s.seat), map[bool]string{true: ", must place a special patch"}[s.pending])
	return b.String()
}

// timeBoard draws squares 0 to 53 of the time board, one character each: + for a square that pays
// income, h for a special patch that is still there, 1 for First, 2 for Second, and X for both
// players.
func (s State) timeBoard() string {
	board := []byte(strings.Repeat(".", finish+1))
	for _, at := range incomes {
		board[at] = '+'
	}
	for _, at := range specials {
		if at > int(max(s.time[0], s.time[1])) {
			board[at] = 'h'
		}
	}
	board[s.time[0]], board[s.time[1]] = '1', '2'
	if s.time[0] == s.time[1] {
		board[s.time[0]] = 'X'
	}
	return "\n  time " + string(board) + "\n\n"
}

// Sketch returns the patches in the circle (the three offers come first), the special patch, and
// the time board; see engine.Sketcher.
func (s State) Sketch() any {
	var circle []any
	for _, p := range s.circle[:s.left] {
		circle = append(circle, sketch(int(p)))
	}
	return map[string]any{
		"offers": len(s.onOffer()), "circle": circle, "special": sketch(special),
		"finish": finish, "incomes": incomes, "specials": specials,
	}
}

// sketch returns the drawing data of a patch for Sketch. It lists the cells of each distinct
// orientation under the orientation's letter. Each cell is [column, row], counted from the top left
// corner of the patch.
func sketch(patch int) any {
	p, shapes := &pieces[patch], map[string][][2]int{}
	for _, o := range p.distinct {
		name := letters[o : o+1]
		for _, at := range p.shapes[o].offsets {
			shapes[name] = append(shapes[name], [2]int{at % side, at / side})
		}
	}
	return map[string]any{"letter": letters[patch : patch+1], "buttons": p.cost, "time": p.time, "income": p.income, "shapes": shapes}
}
