package serve

import (
	"context"
	"net/http"
	"slices"
	"time"

	"dojo.example/analysis"
	"dojo.example/model"
	"dojo.example/run"
	"dojo.example/think"
)

func (s *Server) postThoughts(w http.ResponseWriter, r *http.Request) {
	answering(func(r *http.Request) (any, error) {
		release, err := s.beginSearch()
		if err != nil {
			return nil, err
		}
		defer release()
		run, k, err := s.requestedGame(r)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		simulations := run.frozen.Config.Gate.Simulations
		s.mu.Unlock()
		ctx, cancel := context.WithTimeout(r.Context(), MaxTime)
		defer cancel()
		rc := http.NewResponseController(w)
		_ = rc.SetReadDeadline(time.Time{}) // a recorder in tests has none
		_ = rc.SetWriteDeadline(time.Now().Add(MaxTime + s.writeTimeout))
		t, err := s.thoughts(ctx, k, run.folder, simulations)
		if err != nil {
			return nil, statusError{err, http.StatusConflict}
		}
		return t, nil
	})(w, r)
}

// thoughts computes the Thoughts of a game; all positions are searched at the same time.
func (s *Server) thoughts(ctx context.Context, k *storedGame, f run.Folder, simulations int) (*Thoughts, error) {
	var players [2]*sharedAnalyser
	for i, name := range []string{k.listed.First, k.listed.Second} {
		c, err := s.player(f, name)
		if err != nil {
			return nil, err
		}
		d, leave, err := s.acquireAnalyser(c, k.entry)
		if err != nil {
			return nil, err
		}
		defer leave()
		players[i] = d
	}
	var networks, searches []*analysis.Running
	defer func() {
		for _, r := range slices.Concat(networks, searches) {
			r.Cancel() // does nothing if the search has ended
		}
	}()
	for _, p := range k.play.Positions[:len(k.play.Actions)] {
		d := players[p.ToMove()]
		networks = append(networks, d.Begin(p, think.Budget{Visits: 1}, patient)) // evaluates the root and nothing else
		if k.listed.Source == gateSource {
			searches = append(searches, d.Begin(p, think.Budget{Visits: simulations}, patient))
		}
	}
	t := &Thoughts{}
	var err error
	if t.Networks, err = opinions(ctx, networks, true); err != nil {
		return nil, err
	}
	t.Searches, err = opinions(ctx, searches, false)
	return t, err
}

// opinions waits for searches and returns their results; see opinionOf.
func opinions(ctx context.Context, searches []*analysis.Running, priors bool) ([]Opinion, error) {
	all := []Opinion{}
	for _, r := range searches {
		if err := r.Wait(ctx); err != nil {
			return nil, err
		}
		all = append(all, opinionOf(r.Thought(), priors))
	}
	return all, nil
}

// player loads the named model of a run.
func (s *Server) player(f run.Folder, name string) (*loadedModel, error) {
	if name == model.NoModel {
		return &loadedModel{}, nil
	}
	return s.loaded.get(f.Model(name), loadModel)
}
