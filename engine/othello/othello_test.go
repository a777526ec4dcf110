package othello

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
)

func TestLaws(t *testing.T) {
	for _, features := range []string{"expert", "none", "patterns"} {
		set := engine.ReadSettings("othello", "features="+features)
		r := Configured("othello:features="+features, set)
		if err := set.Check(); err != nil {
			t.Fatal(err)
		}
		t.Run(features, func(t *testing.T) { enginetest.Run(t, r, func(i int, s State) State { return s.image(i) }) })
	}
}

func TestGolden(t *testing.T) { enginetest.Golden(t, Rules, 1) }
func FuzzPlay(f *testing.F)   { enginetest.Fuzz(f, Rules) }

// image returns the image of b under the symmetry with index i. It turns bitboards as a whole.
func (b State) image(i int) State {
	turn := func(set uint64) uint64 {
		if (i+1)&1 != 0 {
			var image uint64
			for cell := range cells {
				image |= set >> cell & 1 << (cell%side*side + cell/side)
			}
			set = image
		}
		if (i+1)&2 != 0 {
			set = bits.ReverseBytes64(bits.Reverse64(set))
		}
		if (i+1)&4 != 0 {
			set = bits.ReverseBytes64(set)
		}
		return set
	}
	return newBoard(turn(b.mine), turn(b.theirs), b.mover)
}

// Both players have the same rights.
func TestSwapped(t *testing.T) {
	enginetest.Swapped(t, Rules, func(s State) State { return newBoard(s.mine, s.theirs, 1-s.mover) })
}

// These are the published numbers of sequences of actions. A pass counts as an action.
func TestPerft(t *testing.T) {
	for depth, want := range []int{1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288} {
		if got := engine.Perft(begin, depth); got != want {
			t.Errorf("depth %d: %d, want %d", depth, got, want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	enginetest.Outcomes(t, Rules, map[string]engine.Outcome{
		"......../......../......../...ox.../...xo.../......../......../........ first": engine.Ongoing,
		// The shortest game: White has no discs left after nine actions.
		"......../......../....x.../...xxx../..xxxxx./...xxx../....x.../........ second": engine.FirstWins,
		"......../......../....o.../...ooo../..ooooo./...ooo../....o.../........ first":  engine.SecondWins,
		"xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/oooooooo/oooooooo/oooooooo/oooooooo first":  engine.Draw,
		// Second must pass, and then First can play on a1.
		".oxooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo second": engine.Ongoing,
		// Nobody can play on the empty cells, because no line from them has discs of both colours.
		"..oooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooxxo first": engine.SecondWins,
	})
}

func TestAgainstNaive(t *testing.T) { enginetest.Against(t, Rules, naive) }

// naive is a second implementation of the rules. It works on the text of a position and looks for
// the next cell of a line one by one.
func naive(position string) (n enginetest.Naive, err error) {
	text, mover, _ := strings.Cut(position, " ")
	rows := strings.Split(text, "/")
	own, other, next := "x", "o", "second"
	if mover == "second" {
		n.ToMove = engine.Second
		own, other, next = "o", "x", "first"
	}
	moves := after(rows, own, other)
	if len(moves) == 0 && len(after(rows, other, own)) > 0 {
		moves = map[string]string{"pass": text}
	}
	if len(moves) == 0 {
		n.Outcome = engine.OutcomeOf(strings.Count(text, "x") - strings.Count(text, "o"))
		return n, nil
	}
	n.After = map[string]string{}
	for name, board := range moves {
		n.After[name] = board + " " + next
	}
	return n, nil
}

// after returns the boards after each move of the player with the discs own.
func after(rows []string, own, other string) map[string]string {
	all := map[string]string{}
	at := func(x, y int) string {
		if x < 0 || x > 7 || y < 0 || y > 7 {
			return ""
		}
		return rows[y][x : x+1]
	}
	for y := range 8 {
		for x := range 8 {
			next, turns := append([]string{}, rows...), 0
			put := func(x, y int) { next[y] = next[y][:x] + own + next[y][x+1:] }
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					n := 1
					for (dx != 0 || dy != 0) && at(x+n*dx, y+n*dy) == other {
						n++
					}
					if at(x+n*dx, y+n*dy) != own {
						continue
					}
					for k := 1; k < n; k++ {
						put(x+k*dx, y+k*dy)
						turns++
					}
				}
			}
			if at(x, y) == "." && turns > 0 {
				put(x, y)
				all[fmt.Sprintf("%c%d", 'a'+x, y+1)] = strings.Join(next, "/")
			}
		}
	}
	return all
}

func TestParse(t *testing.T) {
	const good = "......../......../......../...ox.../...xo.../......../......../........"
	for text, says := range map[string]string{
		good:                          "first or second",
		good + " black":               "first or second",
		"...ox.../...xo... first":     "2 rows, want 8",
		good[:len(good)-1] + " first": "7 cells, want 8",
		strings.Replace(good, "ox", "o?", 1) + " first": "cell e4",
		strings.Replace(good, "ox", "o.", 1) + " first": "cannot be reached",
	} {
		if _, err := Rules.Parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q gives %v, want an error with %q", text, err, says)
		}
	}
}

// The error of an illegal action says why it is illegal.
func TestReadAction(t *testing.T) {
	start := engine.Forget(begin)
	for _, name := range []string{"d3", "D3"} {
		if a, err := engine.ParseAction(start, name); err != nil || a != 19 {
			t.Errorf("%s is read as %d, %v", name, a, err)
		}
	}
	for name, says := range map[string]string{
		"pass": "you can play d3", "d4": "already a disc", "a1": "turns no disc", "i1": "neither a cell", "d": "neither a cell", "": "neither a cell",
	} {
		if _, err := engine.ParseAction(start, name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q gives %v, want an error with %q", name, err, says)
		}
	}
	stuck, err := Rules.Parse(".oxooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo second")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := engine.ParseAction(engine.Forget(stuck), "PASS"); err != nil || a != Pass {
		t.Errorf("a forced pass is read as %d, %v", a, err)
	}
}

func BenchmarkPerft(b *testing.B) {
	nodes := 0
	for b.Loop() {
		nodes += engine.Perft(begin, 7)
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}

func BenchmarkFeatures(b *testing.B) {
	positions, err := Rules.RandomPositions(600, random())
	if err != nil {
		b.Fatal(err)
	}
	var features, actions []uint16
	var legal []engine.Action
	for i := 0; b.Loop(); i++ {
		s := &positions[i%len(positions)]
		features, legal = s.Features(features[:0]), s.Legal(legal[:0])
		actions = s.ActionFeatures(legal, actions[:0])
	}
}
