package analysis_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/play/analysis"
)

// The tensors of a position contain the planes that its game encodes, and the index and name of
// each legal action.
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

// If a game has a board of cells, its grid contains, for each cell, the piece on it and the owner
// of this piece.
func TestGrid(t *testing.T) {
	game, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	p, err := game.Parse("x...o....")
	if err != nil {
		t.Fatal(err)
	}
	grid, ok := analysis.Illustrate(game.Name, p).Sketch.(engine.Grid)
	if !ok || len(grid.Rows) != 3 || len(grid.Rows[0]) != 3 {
		t.Fatalf("the sketch is %+v", grid)
	}
	for at, want := range map[[2]int]engine.Cell{
		{0, 0}: {Name: "a3", Owner: "first", Piece: "cross"}, {1, 1}: {Name: "b2", Owner: "second", Piece: "ring"}, {2, 2}: {Name: "c1"},
	} {
		if got := grid.Rows[at[0]][at[1]]; got != want {
			t.Errorf("cell %v is %+v, want %+v", at, got, want)
		}
	}
	for _, a := range p.Legal(nil) { // each legal action is named after an empty cell
		if name := p.ActionString(a); len(name) != 2 {
			t.Errorf("action %q names no cell", name)
		}
	}
}
