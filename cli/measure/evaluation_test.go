package measure

import (
	"io"
	"slices"
	"testing"

	"dojo.example/arena"
	"dojo.example/internal/console"
)

// A player plays the next opponent in a list only after a clear win against the previous one.
func TestOpponentsGetStronger(t *testing.T) {
	var met []string
	e := Evaluation{
		Options: arena.Options{Games: 40, OpeningPlies: 2, Workers: 2, Seed: 1}, Simulations: 8,
		Remarks: io.Discard,
		Each: func(r console.Report) error {
			for _, line := range r.Lines {
				met = append(met, line.(arena.Summary).B)
			}
			return nil
		},
	}
	if err := e.SetGame("onitama"); err != nil {
		t.Fatal(err)
	}
	player, err := e.Parse("alphabeta:2")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Opponents(t.Context(), player, [][]string{{"random", "alphabeta:4", "greedy"}, {"alphabeta:3", "random"}}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"random", "alphabeta:4", "alphabeta:3"}; !slices.Equal(met, want) {
		t.Errorf("it meets %v, want %v", met, want)
	}
}
