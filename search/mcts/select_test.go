package mcts

import (
	"math"
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
)

// The function best computes the PUCT formula in an optimized form. At every node of a tree, it
// must choose the same action as the plain formula.
func TestBest(t *testing.T) {
	cfg := Default()
	cfg.FPUReduction = 1
	s := New(tictactoe.Rules, cfg).(*tree[tictactoe.State])
	rng := rand.New(rand.NewPCG(1, 1))
	s.Reset(tictactoe.Rules.Game().Start(nil), rng)
	var in engine.Input
	for s.Begin(cfg.SelfPlay(), 150); s.Visits() < 140; {
		in.Reset()
		if s.Leaf(&in) {
			logits := make([]float32, len(in.Legal))
			for i := range logits {
				logits[i] = rng.Float32()
			}
			s.Expand(in.Legal, logits, 2*rng.Float32()-1)
		}
		s.Begin(cfg.SelfPlay(), 150)
		// The next Begin drops this simulation, so the tree gets edges without a visit.
		s.Leaf(&in)
		s.Begin(cfg.SelfPlay(), 150)
	}
	compareBest(t, s)
}

// compareBest compares best with plainBest at every node of s that is expanded and not proven.
func compareBest(t *testing.T, s *tree[tictactoe.State]) {
	compared := 0
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.proven != engine.Ongoing || n.count == 0 {
			continue
		}
		want := plainBest(&s.core, n)
		if got := s.edges[s.best(n, s.cfg.FPUReduction)].index; int(got) != want {
			t.Errorf("of %+v action %d is chosen, want %d", s.optionsOf(n), got, want)
		}
		compared++
	}
	if compared < 30 {
		t.Errorf("only %d nodes were compared", compared)
	}
}

// plainBest computes the same action as best, without the optimizations. It returns the action's
// index among the node's legal actions.
func plainBest(c *core, n *node) int {
	options, seen := c.optionsOf(n), float32(0)
	for _, o := range options {
		if o.visits > 0 {
			seen += o.prior
		}
	}
	scale := c.cfg.exploration(int(n.visits))
	fpu := float32(n.sign*n.mean) - float32(c.cfg.FPUReduction*float32(math.Sqrt(float64(seen))))
	best, score := -1, float32(math.Inf(-1))
	for _, visited := range []bool{true, false} { // if scores are equal, a visited action wins
		for i, o := range options {
			if o.proven == engine.WonBy(1-mover(n.sign)) || visited != (o.visits > 0) {
				continue
			}
			x := fpu + float32(scale*o.prior)
			if visited {
				x = float32(n.sign*o.mean) + scale*o.prior/float32(1+o.visits)
			}
			if x > score {
				best, score = i, x
			}
		}
	}
	return best
}
