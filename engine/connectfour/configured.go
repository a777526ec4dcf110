package connectfour

import (
	"os"
	"strings"

	"dojo.example/engine"
	"dojo.example/engine/patterns"
)

func men(s *State) patterns.Men { return patterns.Men{s.mine, s.theirs} }

var pboard = patterns.Board[State]{Kinds: 2, Men: men, Bit: func(x, y int) int { return column*x + y }, Strikes: State.Strikes}

// Strikes: can p win with one action
func (s State) Strikes(p engine.Player) bool {
	m := s.mine
	if p != s.ToMove() {
		m = s.theirs
	}
	full := s.mine | s.theirs
	const board = bottomRow * (1<<height - 1)
	return wins(m)&((full+bottomRow)&^full)&board != 0
}

// wins returns the cells that complete four
func wins(m uint64) (w uint64) {
	w = (m << 1) & (m << 2) & (m << 3)
	for _, d := range [...]int{column - 1, column, column + 1} {
		p := (m << d) & (m << (2 * d))
		w |= p & (m << (3 * d))
		w |= p & (m >> d)
		p = (m >> d) & (m >> (2 * d))
		w |= p & (m << d)
		w |= p & (m >> (3 * d))
	}
	return w
}

// Configured returns the game with options.
func Configured(name string, set *engine.Settings) engine.Rules[State] {
	r := Rules
	r.Name = name
	var shapes [][]patterns.Shape
	for _, w := range strings.Split(os.Getenv("SHAPES"), ",") {
		switch w {
		case "l1":
			shapes = append(shapes, patterns.Line(1))
		case "l2":
			shapes = append(shapes, patterns.Line(2))
		case "l3":
			shapes = append(shapes, patterns.Line(3))
		case "l4":
			shapes = append(shapes, patterns.Line(4))
		case "l5":
			shapes = append(shapes, patterns.Line(5))
		case "b22":
			shapes = append(shapes, patterns.Block(2, 2))
		case "b23":
			shapes = append(shapes, patterns.Block(2, 3))
		}
	}
	return patterns.Choose(set, r, pboard, shapes...)
}
