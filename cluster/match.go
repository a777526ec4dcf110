package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"dojo/arena"
	"dojo/games"
	"dojo/model"
	"dojo/think"
)

// A Match is a match of named players, for workers.
type Match struct {
	Game    string
	Players [2]string // as arena.Parse takes them

	// Simulations are those of a model without a number in its name.
	Simulations int

	// Load loads the checkpoint at a path in a player's name.
	Load func(path string) (*model.Checkpoint, error)
}

// A matchSpec is what a worker is told of a match. The lot's files are the checkpoints of
// the players that are models.
type matchSpec struct {
	Game         string    `json:"game"`
	Players      [2]string `json:"players"` // a model's path being one of modelPaths
	Games        int       `json:"games"`
	Seed         uint64    `json:"seed"`
	OpeningPlies int       `json:"opening_plies"`
}

// modelPaths stand for the paths of a lot's files in the names of players.
var modelPaths = [2]string{"./a", "./b"}

// openMatch makes the compute of a match; see kinds.
func openMatch(l lot, files [2][]byte, workers int) (compute, error) {
	var spec matchSpec
	if err := json.Unmarshal([]byte(l.Spec), &spec); err != nil {
		return nil, err
	}
	game, err := games.ByName(spec.Game)
	if err != nil {
		return nil, err
	}
	match := arena.Options{Game: game.Game, Names: spec.Players, Games: spec.Games, Seed: spec.Seed, OpeningPlies: spec.OpeningPlies}
	makers := [2]*arena.Maker{&match.A, &match.B}
	for i, player := range spec.Players {
		env := arena.Env{Game: game.Game, NewSearch: game.NewSearch, AlphaBeta: game.AlphaBeta, Simulations: 1, Load: func(path string, p model.Precision) (think.Options, error) {
			if path != modelPaths[i] {
				return think.Options{}, fmt.Errorf("player %q is none for a worker", player)
			}
			c, err := model.Decode(bytes.NewReader(files[i]))
			if err == nil {
				err = c.Check(game.Spec)
			}
			if err != nil {
				return think.Options{}, err
			}
			return think.Model(c, p)
		}}
		if _, _, err := arena.Portable(player, "", 1); err != nil { // no program is started for a hub
			return nil, err
		}
		if *makers[i], _, err = arena.Parse(player, env); err != nil {
			return nil, err
		}
	}
	return playPairs(arena.NewPairs(match), workers), nil
}

// Source returns who plays the pairs of a match whose players are those named. Players
// that would not play the same on another machine are an error; see arena.Portable.
func (h *Hub) Source(match arena.Options, m Match) (arena.Source, error) {
	if match.Balanced != nil {
		return nil, errors.New("who judges openings is here alone: workers would play others")
	}
	spec := matchSpec{Game: m.Game, Games: match.Games, Seed: match.Seed, OpeningPlies: match.OpeningPlies}
	var files [2][]byte
	l := lot{Kind: "match"}
	for i, player := range m.Players {
		name, path, err := arena.Portable(player, modelPaths[i], m.Simulations)
		if err != nil {
			return nil, err
		}
		spec.Players[i] = name
		if path == "" {
			continue
		}
		c, err := m.Load(path)
		if err != nil {
			return nil, err
		}
		if files[i], err = encodeModel(c); err != nil {
			return nil, err
		}
		l.Files[i] = fileName(files[i])
	}
	l.Spec = string(mustJSON(spec))
	return h.source(match, l, fmt.Sprintf("match of %s against %s", m.Players[0], m.Players[1]), files), nil
}
