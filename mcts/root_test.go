package mcts

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dojo/engine/tictactoe"
)

// inTurn is a rule at the root that tries all actions in turn, twice each, and
// chooses the one whose drawn number, kept in the priors, is largest. It is
// also the budget's witness.
type inTurn struct{ want int }

func (r inTurn) enter(c *core, n *stats) {
	for i := range c.edgesOf(n) {
		c.edgesOf(n)[i].prior = c.rng.Float32()
	}
}

func (r inTurn) next(c *core, n *stats) int32 {
	if c.visits != r.want {
		panic(fmt.Sprintf("the rule is told of %d visits, the search of %d", c.visits, r.want))
	}
	return n.first + (n.visits-1)%n.count
}

func (r inTurn) policy(c *core, n *stats, weights []float32) { copy(weights, c.network) }

func (r inTurn) choose(c *core, n *stats, _ float32) (best int) {
	for i, e := range c.edgesOf(n) {
		if e.prior > c.edgesOf(n)[best].prior {
			best = i
		}
	}
	return best
}

// Another rule at the root is another value: it selects, has its own policy
// and its own choice, and leaves the network's priors to the next rule.
func TestAnotherRoot(t *testing.T) {
	s := New(tictactoe.Rules, Default())
	s.Reset(tictactoe.Rules.Game().Start(nil), rand.New(rand.NewPCG(1, 0)))
	planes, logits := make([]float32, tictactoe.Rules.Planes.Size()), make([]float32, 9)
	for s.Begin(inTurn{19}, 19); !s.Done(); {
		if s.Leaf(planes) {
			s.Expand(logits, 0)
		}
	}
	largest, policy := s.Edges(nil)[0], make([]float32, 9)
	for _, e := range s.Edges(nil) {
		if e.Visits != 2 || e.Network != float32(1)/9 {
			t.Errorf("action %d has %d visits and the network's prior %v, want 2 and 1/9", e.Action, e.Visits, e.Network)
		}
		if e.Prior > largest.Prior {
			largest = e
		}
	}
	if s.Policy(policy); policy[4] != float32(1)/9 || s.Choose(1) != largest.Action {
		t.Errorf("the policy is %v, want the network's; the choice is %d, want %d", policy, s.Choose(1), largest.Action)
	}
	s.Begin(PUCT{}, 20)
	for _, e := range s.Edges(nil) {
		if e.Prior != e.Network {
			t.Errorf("the next rule has the prior %v of action %d, the network gave %v", e.Prior, e.Action, e.Network)
		}
	}
}
