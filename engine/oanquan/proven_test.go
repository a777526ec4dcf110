package oanquan

import (
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
)

const beyond = 1000 // greater than any margin

// For each action of each position, the test data contain proven bounds on the margin in a game
// without a ply limit. A search of a few plies also finds bounds on the margin. They must not
// contradict the proven bounds. The test fails if the search finds too few bounds or exact margins.
func TestProven(t *testing.T) {
	exact, bounds := 0, 0
	for _, v := range enginetest.Vectors[struct {
		ID     string
		Board  [fields]uint8
		Scores [2]int16
		Player uint8
		Moves  []struct {
			M      [2]int
			Lo, Hi *int
		}
	}](t, "deep-wdl.jsonl.gz") {
		s := State{board: v.Board, scores: v.Scores, seat: v.Player - 1, opt: uncapped("seed"), big: [2]bool{true, true}}
		if len(v.Moves) != len(s.Legal(nil)) {
			t.Fatalf("%s: %d legal actions, want %d", v.ID, len(s.Legal(nil)), len(v.Moves))
		}
		for _, m := range v.Moves {
			a, err := s.ReadAction(name(m.M))
			if err != nil {
				t.Fatal(err)
			}
			low, high := within(s.Play(a), 7)
			if s.ToMove() == engine.Second {
				low, high = -high, -low
			}
			if m.Lo != nil && high < *m.Lo || m.Hi != nil && low > *m.Hi {
				t.Errorf("%s: %s is worth %d to %d, which is not within %v to %v", v.ID, name(m.M), low, high, m.Lo, m.Hi)
			}
			if low > -beyond || high < beyond {
				bounds++
			}
			if low == high {
				exact++
			}
		}
	}
	t.Logf("%d bounds, %d exact", bounds, exact)
	if bounds < 60 || exact < 10 {
		t.Errorf("only %d bounds and %d exact margins were found", bounds, exact)
	}
}

// within searches the given number of plies and returns bounds on First's margin under best play.
func within(s State, plies int) (low, high int) {
	switch {
	case s.Outcome() != engine.Ongoing:
		first, second := s.Score()
		return first - second, first - second
	case plies == 0:
		return -beyond, beyond
	}
	sign := int(s.ToMove().Sign())
	low, high = -beyond*sign, -beyond*sign
	for _, a := range s.Legal(nil) {
		l, h := within(s.Play(a), plies-1)
		if sign > 0 {
			low, high = max(low, l), max(high, h)
		} else {
			low, high = min(low, l), min(high, h)
		}
	}
	return low, high
}
