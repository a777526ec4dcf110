package serve

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"

	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/model"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// Model is a model that can search positions.
type Model struct {
	play.Model
	// load returns an analyser for positions of the game.
	load func(context.Context, games.Entry) (*analysis.Analyser, error)
}

// maxLoaded is the number of models that stay loaded, so that a request for one of them does not
// have to read and pack the weights again. All searches with the same model evaluate their
// positions in common batches.
const maxLoaded = 16

// prepare returns an analyser that searches positions of game with a model. It calls read to get
// the model, unless the analyser is already loaded. The key identifies the model.
func (s *Server) prepare(ctx context.Context, key string, game games.Entry, read func() (*model.Checkpoint, error)) (*analysis.Analyser, error) {
	return s.loaded.get(ctx, key+" "+game.Name, func() (*analysis.Analyser, error) {
		c, err := read()
		if err != nil { // training may have deleted the model
			return nil, statusError{err, http.StatusConflict}
		}
		if err := c.Check(game.Spec); err != nil {
			return nil, err
		}
		options, err := think.Model(c, model.Best)
		if err != nil {
			return nil, err
		}
		return s.newAnalyser(game, options), nil
	})
}

// player returns an analyser that searches with one of a run's models, given by name.
func (s *Server) player(ctx context.Context, f rundir.Folder, name string, game games.Entry) (*analysis.Analyser, error) {
	if name == model.NoModel {
		return s.newAnalyser(game, think.Options{Evaluator: model.Uniform}), nil
	}
	path := f.Model(name)
	return s.prepare(ctx, version(path), game, func() (*model.Checkpoint, error) { return model.Load(path) })
}

// newAnalyser returns an analyser of a game. If this process trains a run, the analyser has only
// one worker, because the training needs the cores.
func (s *Server) newAnalyser(game games.Entry, options think.Options) *analysis.Analyser {
	workers := min(runtime.GOMAXPROCS(0), MaxSearches)
	if s.trains {
		workers = 1
	}
	lanes := (MaxSearches + workers - 1) / workers
	return analysis.New(game.Game, options, analysis.Options{Workers: workers, Lanes: lanes, Memory: s.memory})
}

// allModels lists all models: first the models of Options.Models, then for each run its best model
// and all its candidates, newest first. If there is only one run, its best model is the first of
// all.
func (s *Server) allModels() (all []Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all = slices.Clone(s.models)
	for _, w := range s.runs {
		if n := len(w.records); n > 0 && w.records[n-1].metrics.Best != model.NoModel {
			name, at := w.records[n-1].metrics.Best, len(all)
			if len(s.runs) == 1 {
				at = 0
			}
			best := s.ofRun(w, name, "best model", "model "+name+" of the run")
			best.ID = w.Run + "/best"
			all = slices.Insert(all, at, best)
		}
		for g := len(w.records) - 1; g >= 0; g-- {
			generation := fmt.Sprint("generation ", g)
			all = append(all, s.ofRun(w, rundir.ModelName(g), generation, "candidate of "+generation))
		}
	}
	return all
}

// inBox returns the Model for a checkpoint that does not belong to a run.
func (s *Server) inBox(c *model.Checkpoint) Model {
	hash := c.Hash()
	var m Model
	m.Model = play.Model{ID: "box/" + hash, Name: "built-in bot", Game: c.Game, About: "hash " + hash + ", " + c.Sizes()}
	read := func() (*model.Checkpoint, error) { return c, nil }
	m.load = func(ctx context.Context, g games.Entry) (*analysis.Analyser, error) {
		return s.prepare(ctx, m.ID, g, read)
	}
	return m
}

// ofRun returns a model of a run. title is the model's name within the run.
func (s *Server) ofRun(w *watched, name, title, about string) Model {
	load := func(ctx context.Context, g games.Entry) (*analysis.Analyser, error) {
		return s.player(ctx, w.folder, name, g)
	}
	return Model{play.Model{ID: w.Run + "/" + name, Name: w.Run + ", " + title, Game: w.Game, About: about, Run: w.Run}, load}
}

// load loads the model with the given id, or the first model of the game if id is "".
func (s *Server) load(ctx context.Context, id string, game games.Entry) (*analysis.Analyser, error) {
	for _, m := range s.allModels() {
		if m.ID == id || id == "" && m.Game == game.Name {
			return m.load(ctx, game)
		}
	}
	if id == "" {
		return nil, fmt.Errorf("the server has no model of %s", game.Name)
	}
	return nil, fmt.Errorf("model %q not found", id)
}

func (s *Server) getModels(*http.Request) (any, error) {
	s.refresh()
	models := s.allModels()
	for i, m := range models {
		game, err := games.ByName(m.Game)
		if err == nil {
			models[i].Usual, models[i].Title = game.Usual != nil, game.Titles()
		}
	}
	return slices.Concat([]Model{}, models), nil // an empty list must be [] in JSON, not null
}

// Query is the body of a request about a game.
type Query struct {
	play.Question
	Model       string `json:"model,omitempty"`       // Model.ID of the model to use
	Simulations int    `json:"simulations,omitempty"` // visits of the root; 0 for no limit
	TimeMS      int    `json:"time_ms,omitempty"`     // milliseconds; 0 for the server's limit
}

// readQuery reads a query and looks up its game.
func readQuery(r *http.Request) (q Query, game games.Entry, err error) {
	if err := bounded.Decode(r.Body, &q); err != nil {
		return q, game, fmt.Errorf("invalid request: %w", err)
	}
	if len(q.Moves) > MaxMoves {
		return q, game, fmt.Errorf("the game has %d moves, but the server accepts at most %d", len(q.Moves), MaxMoves)
	}
	game, err = games.ByName(q.Game)
	return q, game, err
}

// questioned returns a handler that passes the question of a request to f and answers with the
// result.
func questioned(f func(rules engine.Game, q play.Question) (any, error)) http.HandlerFunc {
	return answering(func(r *http.Request) (any, error) {
		q, game, err := readQuery(r)
		if err != nil {
			return nil, err
		}
		v, err := f(game.Game.Game, q.Question)
		if all, _ := v.([]analysis.Position); len(all) > MaxMoves+1 {
			return nil, fmt.Errorf("the game has %d moves, but the server accepts at most %d", len(all)-1, MaxMoves)
		}
		return v, err
	})
}
