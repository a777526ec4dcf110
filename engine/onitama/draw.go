package onitama

import (
	"fmt"
	"strings"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// Draw shows the board and the five cards side by side. First's cards point up and Second's point
// down. The centre card points in the direction in which the player to move would use it; see
// engine.Drawer.
func (s State) Draw() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-18s%-26s%-26s%s\n", "", "first (W w)", "second (B b)", "centre")
	names := "    A B C D E "
	for _, c := range s.held() {
		names += fmt.Sprintf("  %2d %-8s", c.card, deck[c.card].name)
	}
	fmt.Fprintln(&b, strings.TrimRight(names, " "))
	for i, row := range s.rows() {
		y := side - 1 - i
		fmt.Fprintf(&b, "  %d %s ", y+1, fivebyfive.Spaced(row))
		for _, c := range s.held() {
			fmt.Fprintf(&b, "    %s", fivebyfive.Spaced(c.picture(y)))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "  %s\n", s.status())
	return b.String()
}

// status returns one line. It says whose turn it is and how many turns are left, or how the game
// ended.
func (s State) status() string {
	switch s.outcome {
	case engine.FirstWins:
		return "first has won"
	case engine.SecondWins:
		return "second has won"
	case engine.Draw:
		return fmt.Sprintf("a draw after %d turns", Turns)
	}
	return fmt.Sprintf("%s (%s) to move, turns left: %d", s.Mover, [...]string{"W w", "B b"}[s.Mover], s.TurnsLeft())
}

// picture returns row y of the card's pattern; rows are counted from First's side. The letter o
// marks the man, and x marks the cells that it can move to.
func (c heldCard) picture(y int) string {
	to := reach[c.card][middle]
	if c.sign < 0 {
		to = back[c.card][middle]
	}
	line := []byte(".....")
	for x := range line {
		if to>>(y*side+x)&1 != 0 {
			line[x] = 'x'
		}
	}
	if y == side/2 {
		line[side/2] = 'o'
	}
	return string(line)
}

// Sketch returns the cards with their steps; see engine.Sketcher. Positive dx points towards column
// E and positive dy towards row 5.
func (s State) Sketch() any {
	var list []any
	for _, c := range s.held() {
		var steps [][2]int
		for _, v := range deck[c.card].vectors {
			steps = append(steps, [2]int{c.sign * v.dx, c.sign * v.dy})
		}
		list = append(list, map[string]any{"id": c.card, "name": deck[c.card].name, "owner": c.owner, "steps": steps})
	}
	return map[string]any{"cards": list}
}
