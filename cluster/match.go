package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"dojo.example/arena"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/model"
	"dojo.example/run"
	"dojo.example/think"
)

// A Match names the players of a match, so that workers can make them too.
type Match struct {
	Game    string
	Players [2]string // as arena.Parse takes them

	// Simulations is the number of root visits of a model whose name does not say it.
	Simulations int

	// Load loads the checkpoint at a path in a player's name.
	Load func(path string) (*model.Checkpoint, error)
}

// A matchSpec has the parameters of a match, for workers. The lot's files are the checkpoints
// of the players that are models.
type matchSpec struct {
	Game         string    `json:"game"`
	Players      [2]string `json:"players"` // as arena.Parse takes them, with modelPaths as the paths of models
	Games        int       `json:"games"`
	Seed         uint64    `json:"seed"`
	OpeningPlies int       `json:"opening_plies"`
}

// modelPaths are the paths by which the names of players refer to the lot's files.
var modelPaths = [2]string{"./a", "./b"}

// matchExecutor makes the executor of a match; see executorMakers.
func matchExecutor(l lot, files [2][]byte, workers int) (executor, error) {
	var spec matchSpec
	if err := bounded.Unmarshal([]byte(l.Spec), &spec); err != nil {
		return nil, err
	}
	game, err := games.ByName(spec.Game)
	if err != nil {
		return nil, err
	}
	match := arena.Options{Game: game.Game.Game, Names: spec.Players, Games: spec.Games, Seed: spec.Seed, OpeningPlies: spec.OpeningPlies}
	makers := [2]*arena.Maker{&match.A, &match.B}
	for i, player := range spec.Players {
		env := arena.Env{Game: game.Game, AlphaBeta: game.AlphaBeta, Tables: game.Tables, Simulations: 1, Load: func(path string, p model.Precision) (think.Options, error) {
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
		if _, _, err := arena.Portable(player, "", 1); err != nil { // in particular, a worker starts no program because a hub says so
			return nil, err
		}
		if *makers[i], _, err = arena.Parse(player, env); err != nil {
			return nil, err
		}
	}
	return playPairs(arena.NewPairs(match), workers), nil
}

// Source returns an arena.Source that has the pairs of a match played by this process and
// workers. m names the players of match.A and match.B. Players that might play otherwise on
// another machine are an error; see arena.Portable.
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
	return func(ctx context.Context, p *arena.Pairs, finish arena.Finish) error {
		d := newMatch(match, l, files, p, finish)
		d.title = fmt.Sprintf("match of %s against %s", m.Players[0], m.Players[1])
		_, err := h.do(ctx, d)
		if b := (*run.Rollback)(nil); errors.As(err, &b) {
			return fmt.Errorf("cluster: the %s counted what %s handed in, which is wrong: start again", d.title, strings.Join(b.Workers, ", "))
		}
		return err
	}, nil
}
