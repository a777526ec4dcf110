package mcts_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/search/mcts"
)

// If the search has proven that all visited root actions lose, and other actions are left, it plays
// one of the others. The policy gives no weight to the lost actions.
func TestLostActionsDoNotCount(t *testing.T) {
	// x must stop o at c3. After any other action, o wins with its next action.
	p, err := tictactoe.Rules.Game().Parse("oo.x....x")
	if err != nil {
		t.Fatal(err)
	}
	const stops, loses = 2, 4
	s := mcts.New(tictactoe.Rules, mcts.Default())
	s.Reset(p, rand.New(rand.NewPCG(1, 0)))
	in := engine.PlaneInput(tictactoe.Rules.Planes)
	// At the root the network prefers the first of these actions; at the opponent's turn it prefers
	// the second.
	favourites := []int{loses, stops}
	for s.Begin(quiet, 3); !s.Done(); {
		in.Reset()
		if s.Leaf(&in) {
			logits := make([]float32, 9)
			logits[favourites[0]], favourites = 8, favourites[1:]
			expand(s, &in, logits, 0)
		}
	}
	for _, e := range s.Root().Edges(nil) {
		if lost := e.Action == loses; (e.Visits > 0) != lost {
			t.Fatalf("action %d has %d visits; only %d should have any", e.Action, e.Visits, loses)
		}
	}
	policy := make([]float32, 9)
	s.Root().Policy(policy)
	var sum float32
	for _, w := range policy {
		sum += w
	}
	if policy[loses] != 0 || sum < 0.9999 || sum > 1.0001 {
		t.Errorf("the policy is %v: want no weight on %d, which is lost, and 1 in all", policy, loses)
	}
	for _, temperature := range []float32{0, 1} {
		for range 20 {
			if a := s.Root().Choose(temperature); a == loses {
				t.Fatalf("at temperature %v the lost action is chosen", temperature)
			}
		}
	}
}

// The line of play after a proven action ends with the proven outcome. Every action of a line is
// legal.
func TestLinesAreExact(t *testing.T) {
	for _, text := range []string{"xx.oo....", "x...o....", "oo.x....x", "xo......."} {
		root, err := tictactoe.Rules.Game().Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s := mcts.New(tictactoe.Rules, mcts.Default())
		search(s, root, 1, tictactoe.Rules.Spec, quiet, 2000)
		proven := 0
		for _, e := range s.Root().Edges(nil) {
			p := root.Play(e.Action)
			for _, a := range s.Root().LineAfter(e.Action, nil) {
				if !slices.Contains(p.Legal(nil), a) {
					t.Fatalf("%s: after %s the line plays %d in %s", text, root.ActionString(e.Action), a, p)
				}
				p = p.Play(a)
			}
			if e.Proven == engine.Ongoing {
				continue
			}
			proven++
			if p.Outcome() != e.Proven {
				t.Errorf("%s: %s is proven %v, its line ends with %v in %s", text, root.ActionString(e.Action), e.Proven, p.Outcome(), p)
			}
		}
		if proven == 0 {
			t.Errorf("%s: nothing is proven", text)
		}
	}
}
