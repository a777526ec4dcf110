package mcts_test

import (
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/search/mcts"
)

// fan is a game with 300 actions in each of its ten plies. The player who is the first to play
// action 15 wins.
type fan struct {
	ply  uint8
	last uint16
}

func (f fan) ToMove() engine.Player { return engine.Player(f.ply % 2) }
func (f fan) Outcome() engine.Outcome {
	switch {
	case f.last == 15:
		return engine.WonBy(1 - f.ToMove())
	case f.ply == 10:
		return engine.Draw
	}
	return engine.Ongoing
}
func (f fan) Legal(dst []engine.Action) []engine.Action {
	for a := range 300 {
		dst = append(dst, engine.Action(a))
	}
	return dst
}
func (f fan) Play(a engine.Action) fan          { return fan{f.ply + 1, uint16(a)} }
func (f fan) Encode(p []float32)                { p[0] = float32(f.ply) }
func (f fan) ActionString(engine.Action) string { return "" }
func (f fan) String() string                    { return "" }

// If the prior is spread over many actions, a search visits many of them instead of following the
// first one that it visited.
func TestWideSearch(t *testing.T) {
	rules := engine.Rules[fan]{
		Spec:  engine.Spec{Name: "fan", Actions: 300, Planes: engine.Shape{C: 1, H: 1, W: 1}, MaxPlies: 10},
		Start: func(*rand.Rand) fan { return fan{last: 300} },
	}
	s := mcts.New(rules, mcts.Default())
	s.Reset(rules.Game().Start(nil), rand.New(rand.NewPCG(1, 1)))
	in := engine.PlaneInput(rules.Planes)
	// With each ply, the network's value for First becomes a little worse.
	for s.Begin(quiet, 64); !s.Done(); {
		in.Reset()
		if s.Leaf(&in) {
			value := -in.Planes[0] / 20
			if int(in.Planes[0])%2 == 1 {
				value = -value
			}
			expand(s, &in, make([]float32, 300), value)
		}
	}
	if got := s.Root().Edges(nil)[15].Proven; got != engine.FirstWins {
		t.Errorf("64 simulations on 300 actions did not find the winning one: it is %v", got)
	}
}
