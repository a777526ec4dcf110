package mcts_test

import (
	"slices"
	"testing"

	"dojo.example/engine/tictactoe"
	"dojo.example/search/mcts"
)

// If a search continues with the same noise, it keeps its priors. With different noise it mixes the
// new noise into the network's priors. Without noise its priors are the network's priors. In all
// three cases the search keeps its visits.
func TestNoiseOfNextSearch(t *testing.T) {
	s := mcts.New(tictactoe.Rules, mcts.Default())
	loud := mcts.RootRule{Noise: mcts.Noise{Alpha: 1, Weight: 0.5}}
	search(s, tictactoe.Rules.Game().Start(nil), 1, tictactoe.Rules.Spec, loud, 20)
	priors := func() (all []float32) {
		for _, e := range s.Root().Edges(nil) {
			all = append(all, e.Prior)
		}
		return all
	}
	before := priors()
	if goOn(s, tictactoe.Rules.Spec, loud, 40); !slices.Equal(priors(), before) {
		t.Errorf("with the same noise the priors go from %v to %v", before, priors())
	}
	s.Begin(mcts.RootRule{Noise: mcts.Noise{Alpha: 1, Weight: 1e-3}}, 60)
	for _, e := range s.Root().Edges(nil) {
		if d := e.Prior - e.Network; d == 0 || d > 1e-3 || d < -1e-3 {
			t.Errorf("with little noise action %d has the prior %v, the network gave %v", e.Action, e.Prior, e.Network)
		}
	}
	s.Begin(quiet, 60)
	for _, e := range s.Root().Edges(nil) {
		if e.Prior != e.Network {
			t.Errorf("without noise action %d has the prior %v, the network gave %v", e.Action, e.Prior, e.Network)
		}
	}
	if s.Visits() != 40 {
		t.Errorf("%d visits are left of 40", s.Visits())
	}
}
