package cli

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
	"dojo.example/games"
)

// othello is a state of Othello on a 6×6 board. It has one start position, and only twelve
// different positions after two plies.
type othello struct {
	mine, theirs uint64 // one bit for each cell, row by row from the top
	mover        engine.Player
}

const (
	othelloSide  = 6
	othelloCells = othelloSide * othelloSide
	othelloPass  = othelloCells
)

var othelloRules = engine.Rules[othello]{
	Spec: engine.Spec{
		Name: "othello6", Version: 1, Actions: othelloCells + 1,
		Planes: engine.Shape{C: 2, H: othelloSide, W: othelloSide}, MaxPlies: 2 * othelloCells,
	},
	Start: func(*rand.Rand) othello {
		return othello{mine: 1<<15 | 1<<20, theirs: 1<<14 | 1<<21}
	},
	Parse: parseOthello,
}

// flips returns the cells whose discs turn over when the mover plays on a free cell.
func (s othello) flips(cell int) (all uint64) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			line := uint64(0)
			for x, y := cell%othelloSide+dx, cell/othelloSide+dy; (dx != 0 || dy != 0) && min(x, y) >= 0 && max(x, y) < othelloSide; x, y = x+dx, y+dy {
				bit := uint64(1) << (y*othelloSide + x)
				if s.theirs&bit == 0 {
					if s.mine&bit != 0 {
						all |= line
					}
					break
				}
				line |= bit
			}
		}
	}
	return all
}

func (s othello) moves(dst []engine.Action) []engine.Action {
	for cell := range othelloCells {
		if (s.mine|s.theirs)>>cell&1 == 0 && s.flips(cell) != 0 {
			dst = append(dst, engine.Action(cell))
		}
	}
	return dst
}

func (s othello) pass() othello { return othello{s.theirs, s.mine, 1 - s.mover} }

func (s othello) ToMove() engine.Player { return s.mover }

func (s othello) Outcome() engine.Outcome {
	var list [othelloCells]engine.Action
	if len(s.moves(list[:0]))+len(s.pass().moves(list[:0])) > 0 {
		return engine.Ongoing
	}
	return engine.OutcomeOf((bits.OnesCount64(s.mine) - bits.OnesCount64(s.theirs)) * int(s.mover.Sign()))
}

func (s othello) Legal(dst []engine.Action) []engine.Action {
	n := len(dst)
	if dst = s.moves(dst); len(dst) == n {
		dst = append(dst, othelloPass)
	}
	return dst
}

func (s othello) Play(a engine.Action) othello {
	if a != othelloPass {
		flips := s.flips(int(a))
		s.mine, s.theirs = s.mine|flips|1<<a, s.theirs&^flips
	}
	return s.pass()
}

func (s othello) Encode(planes []float32) {
	for i := range othelloCells {
		planes[2*i], planes[2*i+1] = float32(s.mine>>i&1), float32(s.theirs>>i&1)
	}
}

func (s othello) ActionString(a engine.Action) string {
	if a == othelloPass {
		return "pass"
	}
	return string([]byte{'a' + byte(a%othelloSide), '1' + byte(a/othelloSide)})
}

func (s othello) String() string {
	x, o := s.mine, s.theirs
	if s.mover == engine.Second {
		x, o = o, x
	}
	var b strings.Builder
	for i := range othelloCells {
		b.WriteByte(".xo"[x>>i&1|o>>i&1<<1])
	}
	return b.String() + " " + s.mover.String()
}

func parseOthello(text string) (s othello, err error) {
	board, mover, _ := strings.Cut(text, " ")
	if len(board) != othelloCells || strings.Trim(board, ".xo") != "" || mover != "first" && mover != "second" {
		return s, fmt.Errorf("othello6: %q is not 36 of x, o and dots, and first or second", text)
	}
	for i := range othelloCells {
		switch board[i] {
		case 'x':
			s.mine |= 1 << i
		case 'o':
			s.theirs |= 1 << i
		}
	}
	if mover == "second" {
		s = s.pass()
		s.mover = engine.Second
	}
	return s, nil
}

// withOthello registers Othello until the test ends.
func withOthello(t *testing.T) {
	t.Helper()
	known := games.All
	games.Register(othelloRules)
	t.Cleanup(func() { games.All = known })
}

func TestOthello(t *testing.T) {
	enginetest.Laws(t, othelloRules.Game(), 1)
	for depth, want := range []int{1, 4, 12, 56, 244} {
		if n := engine.Perft(othelloRules.Start(nil), depth); n != want {
			t.Errorf("Othello has %d sequences of %d plies, want %d", n, depth, want)
		}
	}
}
