package worker

import (
	"bytes"
	"fmt"

	"dojo.example/arena"
	"dojo.example/cluster/wire"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/model"
)

// A MatchSpec holds the parameters that workers need to play a match. If a player is a model, the
// worker also needs its checkpoint, which is one of the files of the lot (the batch of tasks).
type MatchSpec struct {
	Game         string    `json:"game"`
	Players      [2]string `json:"players"` // the players' names, for arena.Parse; the paths of models are ModelPaths
	Games        int       `json:"games"`
	Seed         uint64    `json:"seed"`
	OpeningPlies int       `json:"opening_plies"`
}

// In the names of players, the two ModelPaths stand for the two checkpoint files.
var ModelPaths = [2]string{"./a", "./b"}

// matchExecutor creates the executor that plays a match; see Makers.
func matchExecutor(l wire.Lot, files [2][]byte, workers int) (Executor, error) {
	var spec MatchSpec
	if err := bounded.Unmarshal([]byte(l.Spec), &spec); err != nil {
		return nil, err
	}
	game, err := games.ByName(spec.Game)
	if err != nil {
		return nil, err
	}
	// The field Again ensures that there is an opening for every pair. The hub decides when the
	// match ends.
	match := arena.Options{Game: game.Game.Game, Games: spec.Games, Seed: spec.Seed, OpeningPlies: spec.OpeningPlies, Again: true}
	for i, c := range []*arena.Contestant{&match.A, &match.B} {
		env := arena.Env{Game: game.Game, AlphaBeta: game.AlphaBeta, Tables: game.Tables, Simulations: 1, Load: func(path string) (*model.Checkpoint, error) {
			if path != ModelPaths[i] {
				return nil, fmt.Errorf("a worker has no model for player %q", spec.Players[i])
			}
			return model.Decode(bytes.NewReader(files[i]))
		}, Reads: game.ReadBy}
		// This prevents a hub from, for example, making the worker start an arbitrary program.
		if err := arena.Portable(spec.Players[i], nil); err != nil {
			return nil, err
		}
		if *c, err = arena.Parse(spec.Players[i], env); err != nil {
			return nil, err
		}
	}
	return PlayPairs(arena.NewPairs(match), workers), nil
}
