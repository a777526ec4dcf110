package measure

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"dojo.example/arena"
	"dojo.example/internal/console"
)

// The next opponent of a list is played only if the one before was beaten clearly.
func TestOpponentsGetStronger(t *testing.T) {
	var out bytes.Buffer
	e := Evaluation{
		Options: arena.Options{Games: 40, OpeningPlies: 2, Workers: 2, Seed: 1}, Simulations: 8,
		Output: console.Output{Out: &out, Err: io.Discard, JSON: true},
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
	var met []string
	for d := json.NewDecoder(&out); d.More(); {
		var s arena.Summary
		if err := d.Decode(&s); err != nil {
			t.Fatal(err)
		}
		met = append(met, s.B)
	}
	if want := []string{"random", "alphabeta:4", "alphabeta:3"}; !slices.Equal(met, want) {
		t.Errorf("it meets %v, want %v", met, want)
	}
}
