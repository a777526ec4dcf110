package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"dojo.example/arena"
	"dojo.example/cluster"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/model"
)

// The next opponent of a list is played only if the one before was beaten clearly.
func TestOpponentsGetStronger(t *testing.T) {
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := Evaluation{
		Settings: Settings{Games: 40, Openings: 2, Simulations: 8, Workers: 2, Seed: 1}, Game: game,
		Output: console.Output{Out: &out, Err: io.Discard, JSON: true},
		Join: func(context.Context, games.Entry, *model.Checkpoint) (*cluster.Matches, error) {
			return nil, nil
		},
	}
	player, err := NewContender(game, "alphabeta:2", 8)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Opponents(t.Context(), player, nil, [][]string{{"random", "alphabeta:4", "greedy"}, {"alphabeta:3", "random"}}); err != nil {
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
