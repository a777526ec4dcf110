package mcts_test

import (
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/search/mcts"
)

// pair is a game in which each turn consists of two actions. There are 200 actions to choose from.
// Play counts its calls in the variable played.
type pair struct {
	ply  uint8
	last [4]uint8
}

var played int

func (p pair) ToMove() engine.Player             { return engine.Player(p.ply / 2 % 2) }
func (p pair) Outcome() engine.Outcome           { return engine.Ongoing }
func (p pair) Encode(planes []float32)           { planes[0] = float32(p.ply) }
func (p pair) ActionString(engine.Action) string { return "" }
func (p pair) String() string                    { return "" }
func (p pair) Play(a engine.Action) pair {
	played++
	p.last[p.ply%4] = uint8(a) + 1
	p.ply++
	return p
}
func (p pair) Legal(dst []engine.Action) []engine.Action {
	for a := range 200 {
		dst = append(dst, engine.Action(a))
	}
	return dst
}

// Follow finds a position of the tree if it is at most four actions (two turns) below the root.
// Follow never calls Play, whether the position is in the tree or not.
func TestFollow(t *testing.T) {
	rules := engine.Rules[pair]{Spec: engine.Spec{Actions: 200, Planes: engine.Shape{C: 1, H: 1, W: 1}}}
	start := pair{}
	s := mcts.New(rules, mcts.Default())
	logits := make([]float32, 200)
	logits[7] = 10
	learn := func() {
		s.Reset(engine.Forget(start), rand.New(rand.NewPCG(1, 0)))
		for s.Begin(quiet, 100); !s.Done(); {
			in := engine.PlaneInput(rules.Planes)
			if s.Leaf(&in) {
				expand(s, &in, logits, 0)
			}
		}
		played = 0
	}
	p := start
	for depth := range 6 {
		learn()
		found := s.Follow(engine.Forget(p))
		if want := depth <= 4; found != want || played > 0 {
			t.Errorf("%d actions below: found %v, want %v; %d actions were played to see", depth, found, want, played)
		}
		if found && (s.Position().State() != p || s.Visits() < 2) {
			t.Errorf("%d actions below the search stands at %v with %d visits", depth, s.Position().State(), s.Visits())
		}
		p = p.Play(7)
	}
	learn()
	if s.Follow(engine.Forget(pair{ply: 2, last: [4]uint8{99, 98}})) || played > 0 || s.Visits() != 100 {
		t.Errorf("a position that is not in the tree: %d actions were played, %d visits are left of 100", played, s.Visits())
	}
}
