package breakthrough

import (
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
)

func TestLaws(t *testing.T) { enginetest.Run(t, Rules, mirrored) }

// The game keeps the laws with each value of the option features.
func TestConfigured(t *testing.T) {
	for _, features := range []string{"expert", "none", "patterns"} {
		set := engine.ReadSettings("breakthrough", "features="+features)
		r := Configured("breakthrough:features="+features, set)
		if err := set.Check(); err != nil {
			t.Fatal(err)
		}
		t.Run(features, func(t *testing.T) { enginetest.Run(t, r, mirrored) })
	}
}

// TestStrikes compares strikes with the moves of both players in the positions of random games.
func TestStrikes(t *testing.T) {
	rng, seen := rand.New(rand.NewPCG(1, 1)), [2]int{}
	for range 200 {
		for s := start; s.Outcome() == engine.Ongoing; {
			legal := s.Legal(nil)
			for _, p := range []State{s, s.passed()} {
				wins := slices.ContainsFunc(p.Legal(nil), func(a engine.Action) bool { return p.Play(a).Outcome() == engine.WonBy(p.mover) })
				if got := s.strikes(p.mover); got != wins {
					t.Fatalf("%s: %v strikes: %v, want %v", s, p.mover, got, wins)
				}
				if wins {
					seen[p.mover]++
				}
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if min(seen[0], seen[1]) < 50 {
		t.Errorf("the players could win %v times", seen)
	}
}

// passed returns the position in which it is the other player's turn.
func (s State) passed() State {
	return State{mine: bits.ReverseBytes64(s.theirs), theirs: bits.ReverseBytes64(s.mine), mover: 1 - s.mover}
}

func TestGolden(t *testing.T) { enginetest.Golden(t, Rules, 1) }
func FuzzPlay(f *testing.F)   { enginetest.Fuzz(f, Rules) }

func mirrored(_ int, s State) State {
	reverse := func(set uint64) uint64 { return bits.ReverseBytes64(bits.Reverse64(set)) }
	return State{reverse(s.mine), reverse(s.theirs), s.mover}
}

// There are 22 moves at the start, and 22 moves after any first move.
func TestPerft(t *testing.T) {
	for depth, want := range []int{1, 22, 484, 11132, 256036} {
		if got := engine.Perft(Rules.Start(nil), depth); got != want {
			t.Errorf("depth %d: %d, want %d", depth, got, want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	enginetest.Outcomes(t, Rules, map[string]engine.Outcome{
		"...o..../......../......../......../......../......../x......./........ second": engine.FirstWins,
		"......../......../......../o......./......../......../......../......x. first":  engine.SecondWins,
		// First has captured the last man.
		"......../......../......../......../......../......../......../o....... second": engine.FirstWins,
		"......../......../......../......../......../......../......../x....... first":  engine.SecondWins,
		"......../o......./......../......../......../......../x......./........ first":  engine.Ongoing,
	})
}

// The rules treat both players alike; see enginetest.Swapped.
func TestSwapped(t *testing.T) {
	enginetest.Swapped(t, Rules, func(s State) State { return State{s.mine, s.theirs, 1 - s.mover} })
}

func TestAgainstNaiveRules(t *testing.T) { enginetest.Against(t, Rules, naive) }

// naive describes a position of Breakthrough from its text. It follows the written rules.
func naive(position string) (n enginetest.Naive, err error) {
	text, mover, _ := strings.Cut(position, " ")
	board := strings.Split(text, "/") // rows from the top
	man, other, forward, next := "o", "x", -1, "second"
	if mover == "second" {
		n.ToMove = engine.Second
		man, other, forward, next = "x", "o", 1, "first"
	}
	switch {
	case strings.Contains(board[0], "o") || !strings.Contains(text, "x"):
		n.Outcome = engine.FirstWins
	case strings.Contains(board[7], "x") || !strings.Contains(text, "o"):
		n.Outcome = engine.SecondWins
	default:
		n.After = map[string]string{}
	}
	for y := range board {
		for x := range board[y] {
			for _, dx := range []int{-1, 0, 1} {
				toX, toY := x+dx, y+forward
				if n.After == nil || board[y][x:x+1] != man || toX < 0 || toX > 7 {
					continue
				}
				if target := board[toY][toX : toX+1]; target == "." || target == other && dx != 0 {
					after := append([]string{}, board...)
					after[y] = after[y][:x] + "." + after[y][x+1:]
					after[toY] = after[toY][:toX] + man + after[toY][toX+1:]
					n.After[fmt.Sprintf("%c%d%c%d", 'a'+x, 8-y, 'a'+toX, 8-toY)] = strings.Join(after, "/") + " " + next
				}
			}
		}
	}
	return n, nil
}

// The protocol reads the referee's questions to both players correctly during a whole game.
func TestReferee(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var after, read [2]engine.Position
		for p := engine.Forget(start); p.Outcome() == engine.Ongoing; {
			me := p.ToMove()
			question, err := referee.Ask(p, after[me])
			if err != nil {
				t.Fatal(err)
			}
			got, err := referee.Questions(strings.NewReader(question))(read[me])
			if err != nil || got.State() != p.State() {
				t.Fatalf("%q is read as %v, want %v: %v", question, got, p, err)
			}
			legal := p.Legal(nil)
			p = p.Play(legal[rng.IntN(len(legal))])
			after[me], read[me] = p, p
		}
	}
	for _, bad := range []string{"a1a2\n1\n", "None\n3\n", "None\nx\n", "None\n22\na2a3\n", "None\n", "None\n22\nh1h9\n"} {
		if _, err := referee.Questions(strings.NewReader(bad))(nil); err == nil || err == io.EOF {
			t.Errorf("%q is read: %v", bad, err)
		}
	}
	if _, err := referee.Ask(engine.Forget(State{mine: 1, theirs: 1 << 60}), nil); err == nil {
		t.Error("a position that is not from the start is told")
	}
}
