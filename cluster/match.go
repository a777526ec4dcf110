package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dojo.example/arena"
	"dojo.example/cluster/wire"
	"dojo.example/data/audit"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/model"
)

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
func matchExecutor(l wire.Lot, files [2][]byte, workers int) (executor, error) {
	var spec matchSpec
	if err := bounded.Unmarshal([]byte(l.Spec), &spec); err != nil {
		return nil, err
	}
	game, err := games.ByName(spec.Game)
	if err != nil {
		return nil, err
	}
	match := arena.Options{Game: game.Game.Game, Games: spec.Games, Seed: spec.Seed, OpeningPlies: spec.OpeningPlies, Again: true} // the hub knows where the match ends
	for i, c := range []*arena.Contestant{&match.A, &match.B} {
		env := arena.Env{Game: game.Game, AlphaBeta: game.AlphaBeta, Tables: game.Tables, Simulations: 1, Load: func(path string) (*model.Checkpoint, error) {
			if path != modelPaths[i] {
				return nil, fmt.Errorf("player %q is none for a worker", spec.Players[i])
			}
			c, err := model.Decode(bytes.NewReader(files[i]))
			if err == nil {
				err = c.Check(game.Spec)
			}
			return c, err
		}}
		if err := arena.Portable(spec.Players[i], nil); err != nil { // in particular, a worker starts no program because a hub says so
			return nil, err
		}
		if *c, err = arena.Parse(spec.Players[i], env); err != nil {
			return nil, err
		}
	}
	return playPairs(arena.NewPairs(match), workers), nil
}

// PlayMatch is an [arena.Source] that has the pairs of a match played by this process and workers.
// Players that might play otherwise on another machine are an error; see [arena.Portable].
func (h *Hub) PlayMatch(ctx context.Context, p *arena.Pairs, finish arena.Finish) error {
	match := p.Options
	if match.Balanced != nil {
		return errors.New("who judges openings is here alone: workers would play others")
	}
	if !match.Again {
		if err := p.DealAll(ctx); err != nil {
			return err
		}
	}
	spec := matchSpec{Game: match.Game.Name, Games: match.Games, Seed: match.Seed, OpeningPlies: match.OpeningPlies}
	var files [2][]byte
	for i, c := range []arena.Contestant{match.A, match.B} {
		if err := arena.Portable(c.Player, nil); err != nil {
			return err
		}
		spec.Players[i] = c.NameWith(modelPaths[i])
		if c.Checkpoint == nil {
			continue
		}
		var content bytes.Buffer
		if err := c.Checkpoint.Encode(&content); err != nil {
			return err
		}
		files[i] = content.Bytes()
	}
	d := newMatch(wire.NewLot("match", spec, files), files, p, finish)
	d.title = fmt.Sprintf("match of %s against %s", match.A.Player, match.B.Player)
	_, err := h.do(ctx, d)
	if errors.Is(err, audit.ErrDoubt) {
		again := "start again"
		if match.Log != nil {
			again += " with another file of games" // that has the wrong ones too
		}
		banned := slices.Sorted(maps.Keys(d.audit.Ledger.Banned()))
		return fmt.Errorf("cluster: the %s counted what %s handed in, which is wrong: %s", d.title, strings.Join(banned, ", "), again)
	}
	return err
}
