package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"

	"dojo.example/analysis"
	"dojo.example/data"
	"dojo.example/games"
	"dojo.example/play"
	"dojo.example/run"
	"dojo.example/selfplay"
)

// Game is a game of a run, position by position.
type Game struct {
	Listed
	Run       string              `json:"run"`
	Game      string              `json:"game"`
	Positions []analysis.Position `json:"positions"` // from the start to the end; they list no legal actions

	// Searches has the results of the searches of self-play as the samples keep them, one for
	// each position but the last; empty for a gate's games.
	Searches []Opinion `json:"searches"`
}

// A storedGame is a game that was read from the run's folder and checked.
type storedGame struct {
	listed Listed
	entry  games.Entry
	play   play.Game
	rows   []data.Row // nil for a gate's game
}

// requestedGame returns the run and the game that the path of a request names.
func (s *Server) requestedGame(r *http.Request) (run watched, k *storedGame, err error) {
	if run, err = s.requestedRun(r); err != nil {
		return run, nil, err
	}
	generation, err := strconv.Atoi(r.PathValue("generation"))
	number, bad := strconv.Atoi(r.PathValue("number"))
	if err = errors.Join(err, bad); err != nil || generation < 0 || number < 0 {
		return run, nil, errors.New("a game is named by the numbers of its generation and within it")
	}
	k, err = run.find(r.PathValue("source"), generation, number)
	return run, k, gamesError(err)
}

// find reads a game of a run.
func (w *watched) find(source string, generation, number int) (*storedGame, error) {
	entry, err := games.ByName(w.Game)
	if err != nil {
		return nil, err
	}
	shard := number / w.config.Selfplay.ShardGames
	k := &storedGame{entry: entry}
	switch err = errNoGames; source {
	case selfplaySource:
		err = k.readShard(run.Shard{Generation: generation, Number: shard, Path: w.folder.Shard(generation, shard)}, number)
	case gateSource:
		err = k.readGate(w.folder.Gate(generation), generation, number)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoGames) {
		return nil, fmt.Errorf("%s, generation %d, game %d: %w", source, generation, number, errNoGames)
	}
	return k, err
}

// readGate reads the game from the file of its gate.
func (k *storedGame) readGate(path string, generation, number int) error {
	all, err := readGate(path)
	if err != nil {
		return err
	}
	if number >= len(all) {
		return errNoGames
	}
	g := all[number]
	k.listed = listGateGame(g, generation, number)
	if k.play, err = play.Follow(k.entry.Game.Game, g.Opening, g.Actions); err != nil {
		return fmt.Errorf("%s, line %d: %w", path, number+1, err)
	}
	return nil
}

// readShard reads the game from its shard.
func (k *storedGame) readShard(shard run.Shard, number int) error {
	_, rows, err := data.ReadShard(shard.Path)
	if err != nil {
		return err
	}
	k.rows = slices.DeleteFunc(rows, func(r data.Row) bool { return selfplay.Number(r.Game) != number })
	if len(k.rows) == 0 {
		return errNoGames
	}
	k.listed = listRows(k.rows, shard)
	positions, actions := data.Path(k.rows)
	if k.play, err = play.Replay(k.entry.Game.Game, positions, actions); err != nil {
		return fmt.Errorf("shard %s, game %d: %w", shard.Path, number, err)
	}
	return nil
}

func (s *Server) getGame(r *http.Request) (any, error) {
	run, k, err := s.requestedGame(r)
	if err != nil {
		return nil, err
	}
	g := Game{Listed: k.listed, Run: run.Run, Game: k.entry.Name, Positions: k.play.Show(), Searches: []Opinion{}}
	for i := range g.Positions {
		g.Positions[i].Legal = []string{}
	}
	for i, row := range k.rows {
		g.Searches = append(g.Searches, storedSearch(k.play.Positions[i], row))
	}
	return g, nil
}
