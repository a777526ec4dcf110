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
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/internal/listed"
	"dojo.example/play"
	"dojo.example/run"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// generationsOf lists the generations that have games of a source, in order.
func generationsOf(f run.Folder, source string) (all []int, err error) {
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

// games lists the games of a generation, in the order of their numbers. The caller must not
// change the result.
func (s *Server) gamesOf(ctx context.Context, f run.Folder, source string, generation int) ([]Listed, error) {
	read, paths := readGate, []string{f.Gate(generation)}
	if source == selfplaySource {
		shards, err := f.ShardsOf(generation)
		if err != nil {
			return nil, err
		}
		read, paths = readShard, nil
		for _, s := range shards {
			paths = append(paths, s.Path)
		}
	}
	var all []Listed
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		games, err := s.games.get(version(path), func() (list []Listed, err error) {
			games, err := read(path, generation)
			for _, g := range games {
				list = append(list, g.Listed)
			}
			return list, err
		})
		if errors.Is(err, fs.ErrNotExist) {
			continue // training has dropped it meanwhile
		}
		if err != nil {
			return nil, statusError{err, http.StatusInternalServerError}
		}
		all = append(all, games...)
	}
	return all, nil
}

// A storedGame is a game that a file of the run has.
type storedGame struct {
	Listed
	rows []data.Row     // of a game of self-play
	gate train.GateGame // a gate's game

	// These are known once it is replayed.
	entry games.Entry
	play  play.Game
}

// readShard reads the games of a shard.
func readShard(path string, generation int) (games []storedGame, err error) {
	_, rows, err := data.ReadShard(path)
	if err != nil {
		return nil, err
	}
	for len(rows) > 0 {
		n := rows[0].TurnsLeft
		games = append(games, storedGame{Listed: listRows(rows[:n], generation), rows: rows[:n]})
		rows = rows[n:]
	}
	return games, nil
}

// listRows returns the list entry of the game that has the given rows.
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

// maxGate is the largest number of bytes that the file of a gate's games may have; usually it
// has about 100,000.
const maxGate = 64 << 20

// readGate reads the games of a gate.
func readGate(path string, generation int) (games []storedGame, err error) {
	text, err := listed.Read(path, maxGate)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var g train.GateGame
		if err := bounded.Unmarshal(line, &g); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(games)+1, err)
		}
		games = append(games, storedGame{gate: g, Listed: Listed{
			Source: gateSource, Generation: generation, Number: len(games), First: g.First, Second: g.Second,
			Outcome: engine.OutcomeOf(g.Outcome).String(), Length: len(g.Actions), Turn: len(g.Actions),
		}})
	}
	return games, nil
}
