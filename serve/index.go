package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/internal/listed"
	"dojo.example/play"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// generationsOf lists the generations that have games of the given source (self-play or gate
// matches), in order.
func generationsOf(f rundir.Folder, source string) (all []int, err error) {
	all = []int{}
	if source == selfplaySource {
		shards, err := f.Shards()
		if err != nil {
			return nil, err
		}
		for _, s := range shards {
			all = append(all, s.Generation)
		}
		return slices.Compact(all), nil
	}
	gates, err := f.Gates()
	return append(all, gates...), err
}

// gamesOf lists the games of a generation, ordered by number. The caller must not change the
// result.
func (s *Server) gamesOf(ctx context.Context, w *watched, source string, generation int) ([]Listed, error) {
	read, paths := w.readGate, []string{w.folder.Gate(generation)}
	if source == selfplaySource {
		shards, err := w.folder.ShardsOf(generation)
		if err != nil {
			return nil, err
		}
		read, paths = w.readShard, nil
		for _, s := range shards {
			paths = append(paths, s.Path)
		}
	}
	var all []Listed
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		games, err := s.games.get(ctx, version(path), func() (list []Listed, err error) {
			games, err := read(path, generation)
			for _, g := range games {
				list = append(list, g.Listed)
			}
			return list, err
		})
		if errors.Is(err, fs.ErrNotExist) {
			continue // training deleted the file in the meantime
		}
		if err != nil {
			return nil, statusError{err, http.StatusInternalServerError}
		}
		all = append(all, games...)
	}
	return all, nil
}

// A storedGame is a game from a file of the run.
type storedGame struct {
	Listed
	rows []data.Row     // only for games of self-play
	gate train.GateGame // only for games of gate matches

	// The function replay sets the fields below.
	entry games.Entry
	play  play.Game
}

// readShard reads the games of a shard of the run.
func (w *watched) readShard(path string, generation int) (list []storedGame, err error) {
	var limits data.Limits // zero if this program does not know the game
	if entry, err := games.ByName(w.Game); err == nil {
		limits = data.LimitsOf(entry.Spec, w.config.Selfplay.ShardGames)
	}
	_, rows, err := data.ReadShard(path, limits)
	if err != nil {
		return nil, err
	}
	for len(rows) > 0 {
		n := rows[0].TurnsLeft
		list = append(list, storedGame{Listed: listRows(rows[:n], generation), rows: rows[:n]})
		rows = rows[n:]
	}
	return list, nil
}

// listRows returns the list entry of a self-play game. The rows hold the data of its positions.
func listRows(rows []data.Row, generation int) Listed {
	result := float32(rows[0].Outcome)
	var swing, surprise float32
	turn := 0
	for i, r := range rows {
		next := result
		if i+1 < len(rows) {
			next = rows[i+1].Value
		}
		if d := distance(r.Value, next); d > swing {
			swing, turn = d, i+1
		}
		surprise += distance(r.Value, result)
	}
	surprise /= float32(len(rows))
	return Listed{
		Source: selfplaySource, Generation: generation, Number: selfplay.Number(rows[0].Game),
		First: rows[0].Model, Second: rows[0].Model, Outcome: engine.OutcomeOf(int(rows[0].Outcome)).String(), Length: len(rows),
		Swing: &swing, Surprise: &surprise, Turn: turn,
	}
}

func distance(x, y float32) float32 { return max(x-y, y-x) }

// readGate reads the games of a gate match. It returns an error if the file has more games than the
// run's configuration allows.
func (w *watched) readGate(path string, generation int) (list []storedGame, err error) {
	spec := engine.Spec{MaxPlies: 1000} // for games that this program does not know
	if entry, err := games.ByName(w.Game); err == nil {
		spec = entry.Spec
	}
	most := w.config.Gate.Games
	text, err := listed.Read(path, int64(most*spec.GameBytes()))
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var g train.GateGame
		if err := bounded.Unmarshal(line, &g); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(list)+1, err)
		}
		if len(list) == most {
			return nil, fmt.Errorf("%s has more than %d games, the size of a gate of this run", path, most)
		}
		list = append(list, storedGame{gate: g, Listed: Listed{
			Source: gateSource, Generation: generation, Number: len(list), First: g.First, Second: g.Second,
			Outcome: engine.OutcomeOf(g.Outcome).String(), Length: len(g.Actions), Turn: len(g.Actions),
		}})
	}
	return list, nil
}
