package train

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"dojo.example/arena"
	"dojo.example/data/rundir"
	"dojo.example/internal/atomicfile"
	"dojo.example/model"
)

// GateGame is one game of a gate match. It is a line of a file such as gates/000012.jsonl.
type GateGame struct {
	// Number of the pair; the two games of a pair have the same opening, with the sides swapped.
	Pair    int      `json:"pair"`
	First   string   `json:"first"`   // name of the model that played First
	Second  string   `json:"second"`  // name of the model that played Second
	Opening string   `json:"opening"` // the position after the random actions of the opening
	Actions []string `json:"actions"` // actions that the models chose, in the game's notation
	Outcome int      `json:"outcome"` // outcome from First's side: 1, 0 or -1
}

// gate is the stage gate. The candidate of the generation plays a match against the best model. The
// result decides which of these two models is the best model from now on.
func (r *Run) gate(ctx context.Context, m *Metrics) error {
	match, err := r.opt.loadGate(m.Generation, r.opt.best(r.done[:m.Generation]))
	if err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	candidate, best := match.A.Player, match.B.Player
	if r.opt.GateSource != nil {
		if match.Source, err = r.opt.GateSource(match, m.Generation); err != nil {
			return fmt.Errorf("gate: %w", err)
		}
	}
	var games bytes.Buffer
	encoder := json.NewEncoder(&games)
	start := time.Now()
	report := r.opt.Report.Stage(m.Generation, "gate", r.opt.Gate.Games)
	match.Progress = func(done int, x arena.Result) {
		report(done, fmt.Sprintf("+%d −%d =%d", x.Wins, x.Losses, x.Draws))
	}
	match.Records = func(x arena.Record) error {
		line := GateGame{Pair: x.Pair, First: best, Second: candidate, Opening: x.Opening, Actions: x.Actions, Outcome: int(x.Outcome.Value())}
		if x.AFirst {
			line.First, line.Second = candidate, best
		}
		return encoder.Encode(line)
	}
	result, err := arena.Match(ctx, match)
	if err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	if err := atomicfile.WriteBytes(r.opt.Folder.Gate(m.Generation), games.Bytes()); err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	m.Gate = GateResult{
		Wins: result.Wins, Losses: result.Losses, Draws: result.Draws, Promoted: r.opt.Gate.promotes(result),
		Margin: result.Points.Margin(), Seconds: time.Since(start).Seconds(),
	}
	m.Gate.Elo, m.Gate.EloLow, m.Gate.EloHigh = result.Elo()
	m.Best = best
	if m.Gate.Promoted {
		m.Best = candidate
	}
	return nil
}

// loadGate loads the two models of a generation's gate and returns the match between them. best is
// the name of the model that is the best before the gate.
func (o *Options) loadGate(generation int, best string) (match arena.Options, err error) {
	names := [2]string{rundir.ModelName(generation), best}
	var models [2]model.Evaluator
	for i, name := range names {
		if models[i], err = o.evaluator(name); err != nil {
			return match, err
		}
	}
	return o.GateMatch(generation, names, models), nil
}

// promotes reports whether the result of the match makes the candidate the best model. If the
// sequential test has reached a verdict, the verdict decides. Otherwise the candidate must have
// scored more than half of the points.
func (g Gate) promotes(x arena.Result) bool {
	if _, v := (arena.SPRT{Elo0: g.Elo0, Elo1: g.Elo1}).Verdict(x); v != arena.Continue {
		return v == arena.Accept
	}
	return x.Score() > 0.5
}

// GateMatch returns the match of a generation's gate between two models. The first model is the
// candidate. The games of the match depend only on the models, the generation, and the options
// Game, Search, Gate and Seed. In particular, Workers does not change them. The models search
// without noise and play the best action that they find.
func (o *Options) GateMatch(generation int, names [2]string, models [2]model.Evaluator) arena.Options {
	search := o.Search
	search.Simulations = o.Gate.Simulations
	return arena.Options{
		Game:         o.Game.Game,
		A:            arena.Net(names[0], o.Game, models[0], search),
		B:            arena.Net(names[1], o.Game, models[1], search),
		Games:        o.Gate.Games,
		Seed:         o.Seed ^ (streamGate + uint64(generation)),
		OpeningPlies: o.Gate.OpeningPlies,
		Again:        true,
		Workers:      o.Workers,
		Test:         &arena.SPRT{Elo0: o.Gate.Elo0, Elo1: o.Gate.Elo1},
	}
}

// A GateSource is a function that returns the arena.Source for the gate match of a generation. The
// source plays the pairs of games. The names of the players in the match are the names of the
// models.
type GateSource func(match arena.Options, generation int) (arena.Source, error)
