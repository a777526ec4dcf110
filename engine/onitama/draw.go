package onitama

import (
	"fmt"
	"strings"

	"dojo/engine"
	"dojo/engine/fivebyfive"
)

// Draw shows the board and the five cards side by side. The cards of first point up,
// those of second down, and the centre card points as the player to move would use
// it; see engine.Drawer.
func (s State) Draw() string {
	first, second, shared := s.hands()
	type held struct {
		card card
		by   engine.Player
	}
	five := []held{{first[0], 0}, {first[1], 0}, {second[0], 1}, {second[1], 1}, {shared, s.Mover}}

	var b strings.Builder
	fmt.Fprintf(&b, "%-18s%-26s%-26s%s\n", "", "first (W w)", "second (B b)", "centre")
	names := "    A B C D E "
	for _, c := range five {
		names += fmt.Sprintf("  %2d %-8s", c.card, deck[c.card].name)
	}
	fmt.Fprintln(&b, strings.TrimRight(names, " "))
	for y := side - 1; y >= 0; y-- {
		fmt.Fprintf(&b, "  %d %s ", y+1, fivebyfive.Spaced(s.row(y)))
		for _, c := range five {
			fmt.Fprintf(&b, "    %s", fivebyfive.Spaced(pattern(c.card, c.by, y)))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "  %s\n", s.status())
	return b.String()
}

// status says whose turn it is and how many turns are left, or how the game ended.
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

// pattern returns row y, counted from first's side, of the picture of a card: o is the
// man, and x the cells to which it can move.
func pattern(c card, by engine.Player, y int) string {
	to := reach[c][middle]
	if by == engine.Second {
		to = back[c][middle]
	}
	var line [side]byte
	for x := range line {
		switch cell := y*side + x; {
		case cell == middle:
			line[x] = 'o'
		case to>>cell&1 != 0:
			line[x] = 'x'
		default:
			line[x] = '.'
		}
	}
	return string(line[:])
}

// cardSketch is a card as its owner uses it; dx points to column E and dy to row 5. The
// centre card has owner -1 and points as the player to move would use it.
type cardSketch struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Owner int      `json:"owner"`
	Steps [][2]int `json:"steps"`
}

// Sketch returns the cards; see engine.Sketcher.
func (s State) Sketch() any {
	first, second, shared := s.hands()
	var list []cardSketch
	add := func(c card, owner, sign int) {
		k := cardSketch{ID: int(c), Name: deck[c].name, Owner: owner}
		for _, v := range deck[c].vectors {
			k.Steps = append(k.Steps, [2]int{sign * v.dx, sign * v.dy})
		}
		list = append(list, k)
	}
	for i := range 2 {
		add(first[i], 0, 1)
	}
	for i := range 2 {
		add(second[i], 1, -1)
	}
	add(shared, -1, int(s.Mover.Sign()))
	return struct {
		Cards []cardSketch `json:"cards"`
	}{list}
}
