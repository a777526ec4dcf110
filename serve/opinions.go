package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/internal/parallel"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// Opinion is a search's or a network's evaluation of a position: a value and a policy.
type Opinion struct {
	Value  float32  `json:"value"`  // from the side of the player First
	Policy []Weight `json:"policy"` // weights of the legal actions, largest first; actions of weight 0 may be missing
}

// Weight is an action and its probability.
type Weight struct {
	Move   string  `json:"move"`
	Weight float32 `json:"weight"`
}

// storedSearch returns the search result that is stored in row. The row describes position p.
func storedSearch(p engine.Position, row data.Row) Opinion {
	o := Opinion{Value: row.Value, Policy: []Weight{}}
	for _, w := range row.Policy {
		o.Policy = append(o.Policy, Weight{p.ActionString(engine.Action(w.Action)), w.Weight})
	}
	return o.sorted()
}

// opinionOf converts a search result to an opinion. The policy is the network's if priors is set,
// and the search's otherwise.
func opinionOf(t analysis.Thought, priors bool) Opinion {
	o := Opinion{Value: t.Value, Policy: []Weight{}}
	for _, m := range t.Moves {
		w := Weight{m.Move, m.Policy}
		if priors {
			w.Weight = m.Prior
		}
		if w.Weight > 0 {
			o.Policy = append(o.Policy, w)
		}
	}
	return o.sorted()
}

// sorted sorts the policy by weight, with the largest weight first, and returns o.
func (o Opinion) sorted() Opinion {
	slices.SortStableFunc(o.Policy, func(x, y Weight) int { return cmp.Compare(y.Weight, x.Weight) })
	return o
}

// ask returns a model's opinion (its evaluation) of a position, from a search or, if simulations is
// 0, directly from the network.
func ask(ctx context.Context, m *analysis.Analyser, p engine.Position, simulations int) (Opinion, error) {
	// A search with one visit only evaluates the root with the network.
	r := m.Begin(ctx, p, think.Budget{Visits: max(1, simulations)}, patient)
	t, err := r.Wait()
	return opinionOf(t, simulations == 0), err
}

// Thoughts holds the opinions of the models that played a game: for each position except the last,
// the opinion of the model that was to move. The server computes them on request.
type Thoughts struct {
	// Networks holds the outputs of the networks, without a search.
	Networks []Opinion `json:"networks"`

	// Searches holds the results of new searches with as many simulations as in the gate match.
	// They can differ slightly from the searches during the match, which reused parts of earlier
	// trees. Searches is empty for self-play games.
	Searches []Opinion `json:"searches"`
}

// postThoughts answers with the Thoughts of a game. It searches all positions of the game
// concurrently.
func (s *Server) postThoughts(ctx context.Context, _ http.ResponseWriter, r *http.Request, _ func()) (any, error) {
	run, k, err := s.requestedGame(r)
	if err != nil {
		return nil, err
	}
	var players [2]*analysis.Analyser
	for i, name := range []string{k.First, k.Second} {
		if players[i], err = s.player(ctx, run.folder, name, k.entry); err != nil {
			return nil, err
		}
	}
	asked := k.play.Positions[:len(k.play.Actions)]
	t := &Thoughts{Networks: make([]Opinion, len(asked)), Searches: []Opinion{}}
	if k.Source == gateSource {
		t.Searches = make([]Opinion, len(asked))
	}
	errs := make([]error, len(asked))
	parallel.For(len(asked), len(asked), func(i int) {
		p := asked[i]
		m := players[p.ToMove()]
		t.Networks[i], errs[i] = ask(ctx, m, p, 0)
		if errs[i] == nil && k.Source == gateSource {
			t.Searches[i], errs[i] = ask(ctx, m, p, run.config.Gate.Simulations)
		}
	})
	return t, cmp.Or(errs...)
}

// Watched is a position with its evaluations by the models of a run, from the first generation to
// the last.
type Watched struct {
	Position analysis.Position `json:"position"`
	Points   []WatchedPoint    `json:"points"`
}

// WatchedPoint is the evaluation of the position by the model of one generation.
type WatchedPoint struct {
	Generation int    `json:"generation"`
	Model      string `json:"model"`
	Opinion
}

// Limits on a request for the evaluations of a position by the models of a run.
const (
	MaxWatched            = 24  // number of models in an answer, evenly spaced over the generations
	MaxWatchedSimulations = 400 // number of simulations for each model
	maxOpinions           = 20_000
)

func (s *Server) postWatch(ctx context.Context, _ http.ResponseWriter, r *http.Request, _ func()) (any, error) {
	s.refresh()
	watched, err := s.requestedRun(r)
	if err != nil {
		return nil, err
	}
	q, game, err := readQuery(r)
	if err != nil {
		return nil, err
	}
	if game.Name != watched.Game {
		return nil, fmt.Errorf("the run plays %s, not %s", watched.Game, game.Name)
	}
	if err := bounded.Between("simulations", q.Simulations, 0, MaxWatchedSimulations); err != nil {
		return nil, err
	}
	p, err := q.position(game)
	if err != nil {
		return nil, err
	}
	all := Watched{Position: analysis.Illustrate(game.Name, p), Points: []WatchedPoint{}}
	var generations []int // generations whose model file still exists
	for g := range watched.records {
		if stampOf(watched.folder.Model(rundir.ModelName(g))) != (stamp{}) {
			generations = append(generations, g)
		}
	}
	for _, g := range spaced(generations, MaxWatched) {
		o, err := s.opinion(ctx, watched.folder, rundir.ModelName(g), game, p, q.Simulations)
		if err != nil {
			return nil, err
		}
		all.Points = append(all.Points, WatchedPoint{g, rundir.ModelName(g), o})
	}
	if len(all.Points) == 0 {
		return nil, errors.New("the run has no models yet; wait for its first generation")
	}
	return all, nil
}

// spaced returns at most n elements of the list all: evenly spaced, and including the first and the
// last element.
func spaced(all []int, n int) (some []int) {
	if len(all) <= n {
		return all
	}
	for i := range n {
		some = append(some, all[i*(len(all)-1)/(n-1)])
	}
	return some
}

// opinion returns a model's opinion of a position, from the cache if possible; see ask.
func (s *Server) opinion(ctx context.Context, f rundir.Folder, name string, game games.Entry, p engine.Position, simulations int) (Opinion, error) {
	key := fmt.Sprintf("%s %s %d", version(f.Model(name)), p, simulations)
	return s.opinions.get(ctx, key, func() (Opinion, error) {
		ctx := context.WithoutCancel(ctx) // other requests may wait for this result
		m, err := s.player(ctx, f, name, game)
		if err != nil {
			return Opinion{}, err
		}
		return ask(ctx, m, p, simulations)
	})
}
