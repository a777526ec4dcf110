package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"

	"dojo.example/data"
	"dojo.example/games"
	"dojo.example/play"
	"dojo.example/play/analysis"
)

// Game is one game of a run with all its positions.
type Game struct {
	Listed
	Run       string              `json:"run"`
	Game      string              `json:"game"`
	Positions []analysis.Position `json:"positions"` // all positions; without their legal actions

	// Searches holds the results of the self-play searches that are stored in the samples, one for
	// each position except the last. It is empty for games of a gate match.
	Searches []Opinion `json:"searches"`
}

// requestedGame returns the run and the game that the URL path of a request names.
func (s *Server) requestedGame(r *http.Request) (run watched, k *storedGame, err error) {
	if run, err = s.requestedRun(r); err != nil {
		return run, nil, err
	}
	generation, err := strconv.Atoi(r.PathValue("generation"))
	number, bad := strconv.Atoi(r.PathValue("number"))
	if err = errors.Join(err, bad); err != nil || generation < 0 || number < 0 {
		return run, nil, errors.New("the generation and the number of a game must be whole numbers from 0 on")
	}
	k, err = run.find(r.PathValue("source"), generation, number)
	return run, k, err
}

// find reads one game of the run.
func (w *watched) find(source string, generation, number int) (*storedGame, error) {
	entry, err := games.ByName(w.Game)
	if err != nil {
		return nil, err
	}
	var all []storedGame
	switch source {
	case selfplaySource:
		all, err = w.readShard(w.folder.Shard(generation, number/w.config.Selfplay.ShardGames), generation)
	case gateSource:
		all, err = w.readGate(w.folder.Gate(generation), generation)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, statusError{err, http.StatusInternalServerError}
	}
	i := slices.IndexFunc(all, func(k storedGame) bool { return k.Number == number })
	if err = errNoGames; i >= 0 {
		err = all[i].replay(entry)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, generation %d, game %d: %w", source, generation, number, err)
	}
	return &all[i], nil
}

// replay replays the game's actions and stores the result in k.play.
func (k *storedGame) replay(entry games.Entry) (err error) {
	k.entry = entry
	if k.Source == gateSource {
		k.play, err = play.Follow(entry.Game.Game, k.gate.Opening, k.gate.Actions)
		return err
	}
	positions, actions := data.Path(k.rows)
	k.play, err = play.Replay(entry.Game.Game, positions, actions)
	return err
}

func (s *Server) getGame(r *http.Request) (any, error) {
	run, k, err := s.requestedGame(r)
	if err != nil {
		return nil, err
	}
	g := Game{Listed: k.Listed, Run: run.Run, Game: k.entry.Name, Positions: k.play.Show(), Searches: []Opinion{}}
	for i := range g.Positions {
		g.Positions[i].Legal = []string{}
	}
	for i, row := range k.rows {
		g.Searches = append(g.Searches, storedSearch(k.play.Positions[i], row))
	}
	return g, nil
}
