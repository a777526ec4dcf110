package analysis_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/analysis"
	"dojo.example/engine"
	"dojo.example/games"
)

// The tensors of a position are what its game writes, with the legal actions by index and name.
func TestTensors(t *testing.T) {
	for _, name := range []string{"tictactoe", "onitama", "patchwork"} {
		game, err := games.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		p := game.Start(rand.New(rand.NewPCG(1, 0)))
		x := analysis.DescribeTensors(game.Game.Game, p)
		in := engine.PlaneInput(game.Planes)
		in.Append(p)
		if !slices.Equal(x.Planes.Values, in.Planes) || x.Planes.Shape != [3]int{game.Planes.H, game.Planes.W, game.Planes.C} || len(x.Features) > game.ActiveFeatures {
			t.Errorf("%s: %+v", name, x)
		}
		for i, a := range p.Legal(nil) {
			if x.Actions[i].Index != a || x.Actions[i].Name != p.ActionString(a) || len(x.Actions[i].Features) != game.PerAction {
				t.Errorf("%s: action %d is %+v", name, i, x.Actions[i])
			}
		}
	}
}
