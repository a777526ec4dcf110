package patterns_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/connectfour"
	"dojo.example/engine/patterns"
)

// board is Connect Four's board, with the same bits as connectfour.State.Bitboards.
var board = patterns.Board[connectfour.State]{
	Kinds: 2,
	Men: func(s connectfour.State) patterns.Men {
		mine, theirs := s.Bitboards()
		return patterns.Men{mine, theirs}
	},
	Bit:     func(x, y int) int { return 7*x + y },
	Strikes: connectfour.State.Strikes,
}

// list returns the features and the action features of a position.
func list(g engine.Game, p engine.Position) engine.Input {
	in := engine.FeatureInput(g.Planes, g.PerAction)
	in.Append(p)
	return in
}

// wins reports whether the player to move can end the game with one action.
func wins(p engine.Position) bool {
	return slices.ContainsFunc(p.Legal(nil), func(a engine.Action) bool {
		return p.Play(a).Outcome() == engine.WonBy(p.ToMove())
	})
}

// TestEffects compares the first feature of each action with what playing the game shows. Connect
// Four lets nobody pass. So TestEffects finds out whether the opponent can win before an action by
// looking for an action of the opponent after another action.
func TestEffects(t *testing.T) {
	g := patterns.Describe(connectfour.Rules, board, patterns.Line(4)).Game()
	rng, seen := rand.New(rand.NewPCG(1, 2)), map[uint16]int{}
	for range 300 {
		p, err := g.Deal(rng)
		if err != nil {
			t.Fatal(err)
		}
		for p.Outcome() == engine.Ongoing {
			in := list(g, p)
			legal := in.LegalOf(0)
			for i, effect := range in.ActionFeaturesOf(0, 0) {
				seen[effect]++
				next := p.Play(legal[i])
				if won := next.Outcome() == engine.WonBy(p.ToMove()); won != (effect&1 != 0) {
					t.Fatalf("%s: effect of %s is %d, but the action wins: %v", p, p.ActionString(legal[i]), effect, won)
				}
				if next.Outcome() == engine.Ongoing && wins(next) != (effect&4 != 0) {
					t.Fatalf("%s: effect of %s is %d, but the opponent can win then: %v", p, p.ActionString(legal[i]), effect, wins(next))
				}
			}
			p = p.Play(legal[rng.IntN(len(legal))])
		}
	}
	if len(seen) < 10 {
		t.Errorf("only the effects %v occurred", seen)
	}
}

// TestNeighbours checks the second feature of the actions of one position by hand.
func TestNeighbours(t *testing.T) {
	g := patterns.Describe(connectfour.Rules, board, patterns.Line(4)).Game()
	p, _ := g.FirstPosition(nil)
	for _, a := range []engine.Action{3, 2} {
		p = p.Play(a)
	}
	// The first player has a stone on d1, and the second player has one on c1. It is the first player's
	// turn. After b1, the only neighbour is c1, to the right: weight 3⁴ (after three cells below and
	// one to the left), times 2 for a stone of the opponent. After d2, d1 is below and c1 is below to
	// the left: weights 3¹ and 3⁰.
	in := list(g, p)
	for action, want := range map[int]uint16{1: 16 + 2*81, 3: 16 + 1*3 + 2*1, 6: 16} {
		if got := in.ActionFeaturesOf(0, 1)[action]; got != want {
			t.Errorf("after %s: %d, want %d", p.ActionString(engine.Action(action)), got, want)
		}
	}
}
