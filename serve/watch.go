package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"dojo.example/analysis"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/run"
	"dojo.example/think"
)

// Watched is a position as the models of a run saw it, from the first generation to the last.
type Watched struct {
	Position analysis.Position `json:"position"`
	Points   []WatchedPoint    `json:"points"`
}

// WatchedPoint is what the candidate of a generation thinks of the position.
type WatchedPoint struct {
	Generation int    `json:"generation"`
	Model      string `json:"model"`
	Opinion
}

// Bounds of watching a position.
const (
	MaxWatched            = 24  // models in one answer, spaced evenly over the generations
	MaxWatchedSimulations = 400 // of each
	maxOpinions           = 20_000
)

func (s *Server) postWatch(ctx context.Context, r *http.Request) (any, error) {
	s.refresh()
	watched, err := s.requestedRun(r)
	if err != nil {
		return nil, err
	}
	q, game, err := readQuestion(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	own, generations := watched.frozen.Config.Game, len(watched.records)
	s.mu.Unlock()
	if game.Name != own {
		return nil, fmt.Errorf("the run plays %s, not %s", own, game.Name)
	}
	if q.Simulations > MaxWatchedSimulations {
		return nil, fmt.Errorf("simulations: %d is not between 0 and %d", q.Simulations, MaxWatchedSimulations)
	}
	p, err := q.position(game)
	if err != nil {
		return nil, err
	}
	all := Watched{Position: analysis.Illustrate(game.Name, p), Points: []WatchedPoint{}}
	for _, g := range spaced(modelsBefore(watched.folder, generations), MaxWatched) {
		o, err := s.opinion(ctx, watched.folder, run.ModelName(g), game, p, q.Simulations)
		if err != nil {
			return nil, statusError{err, http.StatusConflict}
		}
		all.Points = append(all.Points, WatchedPoint{g, run.ModelName(g), o})
	}
	if len(all.Points) == 0 {
		return nil, statusError{errors.New("the run has no models yet"), http.StatusConflict}
	}
	return all, nil
}

// modelsBefore lists the generations before n whose candidates are there.
func modelsBefore(f run.Folder, n int) (all []int) {
	for g := range n {
		if stampOf(f.Model(run.ModelName(g))) != (stamp{}) {
			all = append(all, g)
		}
	}
	return all
}

// spaced returns at most n of all, evenly spaced, with the first and the last.
func spaced(all []int, n int) (some []int) {
	if len(all) <= n {
		return all
	}
	for i := range n {
		some = append(some, all[i*(len(all)-1)/(n-1)])
	}
	return some
}

// opinion returns what a model of a run thinks of a position: the network alone with 0
// simulations, else a search.
func (s *Server) opinion(ctx context.Context, f run.Folder, name string, game games.Entry, p engine.Position, simulations int) (Opinion, error) {
	key := fmt.Sprintf("%s %s %d", version(f.Model(name)), p, simulations)
	return s.opinions.get(key, func() (o Opinion, err error) {
		m, err := s.player(f, name, game)
		if err != nil {
			return o, err
		}
		search := m.Begin(ctx, p, think.Budget{Visits: max(1, simulations)}, patient) // a visit evaluates the root and nothing else
		if err := search.Wait(); err != nil {
			return o, err
		}
		return opinionOf(search.Thought(), simulations == 0), nil
	})
}
