package wallonitama

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
)

// Each loud action captures a man or wins. If the wall must move or the opponent threatens to win,
// all actions are loud.
func TestLoud(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	threats, captures := 0, 0
	for range 200 {
		for s := Rules.Start(rng); s.Outcome() == engine.Ongoing; {
			legal := s.Legal(nil)
			settled := !s.walling && !winsAtOnce(s.passed())
			var want []engine.Action
			for _, a := range legal {
				after := s.Play(a)
				if !settled || after.Men() < s.Men() || after.Outcome() == engine.WonBy(s.Mover) {
					want = append(want, a)
				}
			}
			captures += len(want)
			if !settled && !s.walling {
				threats++
			}
			loud, got := s.Loud(nil)
			slices.Sort(loud)
			if got != settled || !slices.Equal(loud, want) {
				t.Fatalf("%s: loud are %v, %v, want %v, %v", s, loud, got, want, settled)
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if threats < 100 || captures < 1000 {
		t.Errorf("only %d threats and %d loud actions were seen", threats, captures)
	}
}

// winsAtOnce reports whether the player to move has a winning action.
func winsAtOnce(s State) bool {
	return slices.ContainsFunc(s.Legal(nil), func(a engine.Action) bool { return s.Play(a).Outcome() == engine.WonBy(s.Mover) })
}

// Evaluate changes its sign when the players are exchanged.
func TestEvaluate(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	different := map[int]bool{}
	for range 50 {
		for s := Rules.Start(rng); s.Outcome() == engine.Ongoing; {
			v, other := s.Evaluate(), s
			different[v] = true
			other.Mover = 1 - s.Mover
			if got := other.Evaluate(); got != -v {
				t.Fatalf("%s is worth %d, and %s %d", s, v, other, got)
			}
			if got := s.passed().Evaluate(); got != v {
				t.Fatalf("%s is worth %d, and with the turn passed %d", s, v, got)
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if len(different) < 50 {
		t.Errorf("only %d different evaluations", len(different))
	}
}

// Strikes must be true for the opponent if the opponent could win immediately after the mover's
// turn is skipped.
func TestStrikes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	strikes := 0
	for range 100 {
		for s := Rules.Start(rng); s.Outcome() == engine.Ongoing; {
			if !s.walling {
				if got, want := s.Strikes(1-s.Mover), winsAtOnce(s.passed()); got != want {
					t.Fatalf("%s: the other player strikes: %v, want %v", s, got, want)
				}
				if s.Strikes(1 - s.Mover) {
					strikes++
				}
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if strikes < 100 {
		t.Errorf("only %d threats were seen", strikes)
	}
}
