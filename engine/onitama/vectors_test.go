package onitama

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
	"dojo.example/internal/slow"
)

func parse(t testing.TB, text string) State {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Perft must return the same numbers as several independent programs.
func TestPerft(t *testing.T) {
	t.Parallel()
	perft(t, 0, 1_000_000)
}

func TestLargePerft(t *testing.T) {
	t.Parallel()
	slow.Test(t, "counts 414 million plies")
	perft(t, 1_000_000, math.MaxInt)
}

// perft compares Perft with the recorded counts. It uses only the counts n with above < n ≤ most.
func perft(t *testing.T, above, most int) {
	type vector struct {
		Pos                    string
		Depth, Nodes           int
		Wins, Passes, Captures int
	}
	vectors := enginetest.Vectors[vector](t, "onitama-perft.jsonl.gz")
	if len(vectors) != 579 {
		t.Errorf("%d vectors, want 579", len(vectors))
	}
	for _, v := range vectors {
		if v.Nodes <= above || v.Nodes > most {
			continue
		}
		s := parse(t, v.Pos)
		if got := engine.Perft(s, v.Depth); got != v.Nodes {
			t.Errorf("Perft(%s, %d) = %d, want %d", v.Pos, v.Depth, got, v.Nodes)
		}
		if v.Nodes > 100_000 {
			continue
		}
		var last lastPly
		last.count(s, v.Depth)
		if want := (lastPly{v.Wins, v.Passes, v.Captures}); last != want {
			t.Errorf("%s at depth %d has %+v at the last ply, want %+v", v.Pos, v.Depth, last, want)
		}
	}
}

// lastPly counts wins, passes and captures among the last plies that perft counts.
type lastPly struct{ wins, passes, captures int }

func (l *lastPly) count(s State, depth int) {
	for _, a := range s.Legal(nil) {
		next := s.Play(a)
		if depth > 1 {
			l.count(next, depth-1)
			continue
		}
		if next.Outcome() != engine.Ongoing {
			l.wins++
		}
		if strings.HasSuffix(s.ActionString(a), "PASS") {
			l.passes++
		}
		if bits.OnesCount32(next.Mine) < bits.OnesCount32(s.Theirs) {
			l.captures++
		}
	}
}

// The test data list the moves of solved positions; they must be exactly the legal actions. Of
// these, a search must find exactly the moves that decide the game within its depth, and it must
// find the listed number of plies for each of them.
func TestSolvedPositions(t *testing.T) {
	t.Parallel()
	limit := 6
	if testing.Short() {
		limit = 4
	}
	for name, want := range map[string]int{
		"solved6-2_9_11_14_15": 800, "solved6-8_6_0_12_9": 800, "solved8-8_6_0_12_9": 891, "tactics10": 726,
	} {
		type position struct {
			Pos   string
			Moves map[string]string
		}
		positions := enginetest.Vectors[position](t, name+".jsonl.gz")
		if len(positions) != want {
			t.Errorf("%s: %d positions, want %d", name, len(positions), want)
		}
		for _, p := range positions {
			s := parse(t, p.Pos)
			legal := s.Legal(nil)
			if len(legal) != len(p.Moves) {
				t.Errorf("%s has %d legal actions, want %d", p.Pos, len(legal), len(p.Moves))
			}
			for _, a := range legal {
				value, ok := p.Moves[s.ActionString(a)]
				if !ok {
					t.Errorf("%s: %s is not a move there", p.Pos, s.ActionString(a))
				}
				if n, err := strconv.Atoi(strings.TrimLeft(value, "WLD?")); err != nil || n > limit {
					value = "" // this search does not look so far ahead
				}
				if got := after(s.Play(a), limit-1); got != value {
					t.Errorf("%s: %s is %q, want %q", p.Pos, s.ActionString(a), got, value)
				}
			}
		}
	}
}

// after returns the result of the game for the player whose action led to s. The result "W3" means
// that the player wins in three plies at the fastest, and "L4" that he loses in four; the action
// itself counts as the first ply. The search looks depth plies ahead of s. The result is "" if the
// game may last longer.
func after(s State, depth int) string {
	for n := range depth + 1 {
		if n%2 == 0 && s.lost(n) {
			return fmt.Sprint("W", n+1)
		}
		if n%2 == 1 && s.won(n) {
			return fmt.Sprint("L", n+1)
		}
	}
	return ""
}
