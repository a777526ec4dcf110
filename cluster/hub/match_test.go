package hub_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"dojo.example/arena"
	"dojo.example/games"
	"dojo.example/model"
)

// played holds the result of a match and the records of its games, in the order of their numbers.
type played struct {
	result  arena.Result
	records []string
}

// testMatch returns a match of two players, of which one is a model. A statistical test ends the
// match early.
func testMatch(t *testing.T, p *played) arena.Options {
	t.Helper()
	game, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	all, err := want()
	if err != nil {
		t.Fatal(err)
	}
	test := arena.SPRT{Elo0: 0, Elo1: 50}
	opt := arena.Options{
		Game: game.Game.Game, Games: 60, Seed: 11, OpeningPlies: 2, Workers: 2, Test: &test,
		Records: func(r arena.Record) error { p.records = append(p.records, fmt.Sprint(r)); return nil },
	}
	env := arena.Env{Game: game.Game, Simulations: 16, Load: func(string) (*model.Checkpoint, error) {
		return model.Decode(bytes.NewReader([]byte(all["models/000001.safetensors"])))
	}}
	if opt.A, err = arena.Parse("./mine", env); err != nil {
		t.Fatal(err)
	}
	if opt.B, err = arena.Parse("uniform:4", env); err != nil {
		t.Fatal(err)
	}
	return opt
}

// A match has the same games and the same result with any number of workers. The test also checks
// that the workers really play some of the games.
func TestMatchesChangeNothing(t *testing.T) {
	var alone played
	opt := testMatch(t, &alone)
	var err error
	if alone.result, err = arena.Match(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	if n := len(alone.records); n < 10 || n == opt.Games {
		t.Errorf("%d games were played: the match should be stopped early", n)
	}
	for _, workers := range []int{0, 1, 3} {
		_, hub := start(t, "")
		ended := startWorkers(t, hub, workers)
		for n := 0; n < 2 || workers > 0 && hub.Accepted() == 0; n++ { // repeats the match if it ended before a worker had a game
			var got played
			opt := testMatch(t, &got)
			opt.Source = hub.PlayMatch
			if got.result, err = arena.Match(t.Context(), opt); err != nil {
				t.Fatal(err)
			}
			if got.result != alone.result || !slices.Equal(got.records, alone.records) {
				t.Errorf("with %d workers: %+v, want %+v", workers, got, alone)
			}
		}
		hub.Close(true)
		ended()
	}
}

// The hub refuses players that might play differently on another machine. If the source of a match
// fails, the match returns the source's error.
func TestMatchErrors(t *testing.T) {
	_, hub := start(t, "")
	defer hub.Close(false)
	opt := testMatch(t, &played{})
	opt.Source = hub.PlayMatch
	for _, player := range []string{"cmd:./bot", "alphabeta@30ms", "./mine@50ms"} {
		opt.B.Player = player
		if _, err := arena.Match(t.Context(), opt); err == nil {
			t.Errorf("player %s was accepted", player)
		}
	}
	broken := errors.New("broken")
	opt.Source = func(context.Context, *arena.Pairs, arena.Finish) error { return broken }
	if _, err := arena.Match(t.Context(), opt); !errors.Is(err, broken) {
		t.Errorf("a source that fails: %v", err)
	}
}

// The results of workers include the points that each player scored.
func TestMatchesHavePoints(t *testing.T) {
	game, err := games.ByName("oanquan")
	if err != nil {
		t.Fatal(err)
	}
	opt := arena.Options{Game: game.Game.Game, A: arena.Greedy(), B: arena.Random(), Games: 20, Seed: 3, OpeningPlies: 2, Workers: 1}
	want, err := arena.Match(t.Context(), opt)
	if err != nil || want.Points.Games != opt.Games {
		t.Fatalf("alone: %+v, %v", want, err)
	}
	_, hub := start(t, "")
	ended := startWorkers(t, hub, 1)
	opt.Source = hub.PlayMatch
	if got, err := arena.Match(t.Context(), opt); err != nil || got != want {
		t.Errorf("with a worker: %+v, %v, want %+v", got, err, want)
	}
	hub.Close(true)
	ended()
}
