package onitama

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
)

// Each loud action captures a man or wins. If the opponent threatens to win, all actions are loud.
func TestLoud(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	threats, captures := 0, 0
	for range 300 {
		for s := start(rng); s.Outcome() == engine.Ongoing; {
			legal := s.Legal(nil)
			settled := !slices.Contains(activeNames(s), "win at once: they could")
			var want []string
			for _, a := range legal {
				after := s.Play(a)
				if !settled || after.Men() < s.Men() || after.Outcome() == engine.WonBy(s.Mover) {
					want = append(want, s.ActionString(a))
				}
			}
			slices.Sort(want)
			captures += len(want)
			if !settled {
				threats++
			}
			loud, got := s.Loud(nil)
			if names := named(s, loud); got != settled || !slices.Equal(names, want) {
				t.Fatalf("%s: loud are %q, %v, want %q, %v", s, names, got, want, settled)
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if threats < 100 || captures < 1000 {
		t.Errorf("only %d threats and %d loud actions were seen", threats, captures)
	}
}

// named returns the names of actions, sorted.
func named(s State, actions []engine.Action) (names []string) {
	for _, a := range actions {
		names = append(names, s.ActionString(a))
	}
	slices.Sort(names)
	return names
}

// activeNames returns the names of the active features.
func activeNames(s State) (names []string) {
	for _, f := range s.Features(nil) {
		names = append(names, feat.groups.NameOf(f))
	}
	return names
}

// Evaluate changes its sign when the players are exchanged.
func TestEvaluate(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	different := map[int]bool{}
	for range 100 {
		for s := start(rng); s.Outcome() == engine.Ongoing; {
			v := s.Evaluate()
			different[v] = true
			other := s
			other.Mover = 1 - s.Mover
			if got := other.Evaluate(); got != -v {
				t.Fatalf("%s is worth %d, and %s %d", s, v, other, got)
			}
			other = s.turned()
			other.Mover = s.Mover
			if got := other.Evaluate(); got != -v {
				t.Fatalf("%s is worth %d, and with sides exchanged %d", s, v, got)
			}
			other = s
			other.hand = [handSize]card{s.hand[1], s.hand[0], s.hand[3], s.hand[2], s.hand[centre]}
			if s.Hash() != other.Hash() {
				t.Fatalf("%s and %s have different hashes", s, other)
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if len(different) < 50 {
		t.Errorf("only %d different evaluations", len(different))
	}
}

// Strikes returns the same result whichever player is to move.
func TestStrikes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	strikes := 0
	for range 200 {
		for s := start(rng); s.Outcome() == engine.Ongoing; {
			other := s.turned()
			for _, p := range []engine.Player{engine.First, engine.Second} {
				if s.Strikes(p) != other.Strikes(p) {
					t.Fatalf("%s: %s strikes: %v, and seen from the other side %v", s, p, s.Strikes(p), other.Strikes(p))
				}
			}
			if s.Strikes(1 - s.Mover) {
				strikes++
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if strikes < 100 {
		t.Errorf("only %d threats were seen", strikes)
	}
}
