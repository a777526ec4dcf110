package mcts

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/engine/wallonitama"
)

// guess returns a value for the player to move. It depends only on the position.
func guess(p engine.Position) float32 {
	h := fnv.New32a()
	h.Write([]byte(p.String()))
	return float32(h.Sum32()%1000)/500 - 1
}

// evaluateAll searches until the root has the given number of visits.
func evaluateAll[S engine.State[S]](s *tree[S], visits int) {
	var in engine.Input
	for s.Begin(RootRule{Final: LCB}, visits); !s.Done(); {
		in.Reset()
		if s.Leaf(&in) {
			s.Expand(in.Legal, make([]float32, len(in.Legal)), guess(engine.Forget(s.states[s.waits])))
		}
	}
}

// In a graph each position has exactly one node. The node's value is the mean of its own evaluation
// and its edges' values. Both statements remain true after the search has played moves and dropped
// the rest of the graph.
func TestGraph(t *testing.T) {
	t.Run("tictactoe", func(t *testing.T) { testGraph(t, tictactoe.Rules, 500) })
	t.Run("wallonitama", func(t *testing.T) { testGraph(t, wallonitama.Rules, 3000) })
}

func testGraph[S engine.State[S]](t *testing.T, rules engine.Rules[S], visits int) {
	cfg := Default()
	cfg.Graph = true
	s := New(rules, cfg).(*tree[S])
	rng := rand.New(rand.NewPCG(1, 1))
	s.Reset(rules.Game().Start(rng), rng)
	shared := 0
	for range 4 {
		evaluateAll(s, visits)
		if s.Proven() != engine.Ongoing {
			break
		}
		seen := map[S]bool{}
		parents := make([]int, len(s.nodes))
		for i := range s.nodes {
			if seen[s.states[i]] {
				t.Fatalf("%v has two nodes", s.states[i])
			}
			seen[s.states[i]] = true
			n := &s.nodes[i]
			if n.count == 0 || n.proven != engine.Ongoing {
				continue
			}
			sum, count := float64(guess(engine.Forget(s.states[i]))*n.sign), int32(1)
			for _, e := range s.edgesOf(n) {
				sum += float64(e.mean) * float64(e.visits)
				count += e.visits
				if e.child != none {
					parents[e.child]++
				}
				if e.visits > s.nodes[max(0, e.child)].visits {
					t.Fatalf("an edge has %d visits, its child %d", e.visits, s.nodes[e.child].visits)
				}
			}
			if got, want := float64(n.mean), sum/float64(count); n.visits != count || math.Abs(got-want) > 1e-4 {
				t.Fatalf("%v has %d visits of value %v, its edges say %d of %v", s.states[i], n.visits, got, count, want)
			}
		}
		for _, p := range parents {
			if p > 1 {
				shared++
			}
		}
		s.Play(s.Root().Choose(0))
	}
	if shared < 20 {
		t.Errorf("only %d nodes have several parents", shared)
	}
}
