package serve

import (
	"context"
	"net/http"
	"time"

	"dojo.example/analysis"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/run"
	"dojo.example/think"
)

// searching returns a handler that answers with the result of f, for which it may search for
// MaxTime.
func (s *Server) searching(f func(ctx context.Context, r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answering(func(r *http.Request) (any, error) {
			release, err := s.beginSearch()
			if err != nil {
				return nil, err
			}
			defer release()
			ctx, cancel := context.WithTimeout(r.Context(), MaxTime)
			defer cancel()
			rc := http.NewResponseController(w)
			_ = rc.SetReadDeadline(time.Time{}) // a recorder in tests has none
			_ = rc.SetWriteDeadline(time.Now().Add(MaxTime + s.writeTimeout))
			return f(ctx, r)
		})(w, r)
	}
}

func (s *Server) postThoughts(ctx context.Context, r *http.Request) (any, error) {
	run, k, err := s.requestedGame(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	simulations := run.frozen.Config.Gate.Simulations
	s.mu.Unlock()
	t, err := s.thoughts(ctx, k, run.folder, simulations)
	if err != nil {
		return nil, statusError{err, http.StatusConflict}
	}
	return t, nil
}

// thoughts computes the Thoughts of a game; all positions are searched at the same time.
func (s *Server) thoughts(ctx context.Context, k *storedGame, f run.Folder, simulations int) (*Thoughts, error) {
	var players [2]*analysis.Analyser
	for i, name := range []string{k.listed.First, k.listed.Second} {
		var err error
		if players[i], err = s.player(f, name, k.entry); err != nil {
			return nil, err
		}
	}
	var networks, searches []*analysis.Running
	for _, p := range k.play.Positions[:len(k.play.Actions)] {
		d := players[p.ToMove()]
		networks = append(networks, d.Begin(ctx, p, think.Budget{Visits: 1}, patient)) // evaluates the root and nothing else
		if k.listed.Source == gateSource {
			searches = append(searches, d.Begin(ctx, p, think.Budget{Visits: simulations}, patient))
		}
	}
	t := &Thoughts{}
	var err error
	if t.Networks, err = opinions(networks, true); err != nil {
		return nil, err
	}
	t.Searches, err = opinions(searches, false)
	return t, err
}

// opinions waits for searches and returns their results; see opinionOf.
func opinions(searches []*analysis.Running, priors bool) ([]Opinion, error) {
	all := []Opinion{}
	for _, r := range searches {
		if err := r.Wait(); err != nil {
			return nil, err
		}
		all = append(all, opinionOf(r.Thought(), priors))
	}
	return all, nil
}

// player returns an analyser that searches with the named model of a run.
func (s *Server) player(f run.Folder, name string, game games.Entry) (*analysis.Analyser, error) {
	if name == model.NoModel {
		return s.newAnalyser(game, think.Options{Evaluator: model.Uniform}), nil
	}
	m, err := s.loadModel(f.Model(name))
	if err != nil {
		return nil, err
	}
	return m.Analyser, m.Check(game.Spec)
}
