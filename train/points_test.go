package train_test

import (
	"testing"

	"dojo.example/games"
	"dojo.example/model"
)

// In a game with scores, the record of a generation has the candidate's mean lead in points in the
// gate match.
func TestGateCountsPoints(t *testing.T) {
	opt := tinySparse(t, t.TempDir(), 2)
	game, err := games.ByName("oanquan")
	if err != nil {
		t.Fatal(err)
	}
	opt.Game = game.Game
	opt.Network = model.Network{Margin: 20, Body: model.DefaultSparse()}.For(game.Spec)
	opt.Selfplay.Games, opt.Search.Simulations, opt.Gate.Simulations = 8, 4, 2
	for g, m := range finish(t, opt) {
		if x := m.Gate.Margin; !(x.Low < x.Mean && x.Mean < x.High) {
			t.Errorf("generation %d: a margin of %+v", g, x)
		}
	}
}
