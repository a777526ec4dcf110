package main

import (
	"context"
	"fmt"
	"math"

	"dojo/arena"
	"dojo/games"
	"dojo/run"
	"dojo/train"
)

// rung is one model of a ladder.
type rung struct {
	Model    string       `json:"model"`
	Elo      float64      `json:"elo"`                // above the first model: the sum of the steps
	EloLow   float64      `json:"elo_low"`            // 95 %, the steps being independent
	EloHigh  float64      `json:"elo_high"`           //
	Previous *matchResult `json:"previous,omitempty"` // against the model before it
	First    *matchResult `json:"first,omitempty"`    // against the first, if that is another
}

// ladder plays models of a run, evenly spaced over its generations, each
// against the one before it and against the first.
func (e *evaluation) ladder(ctx context.Context, args []string, count int) error {
	if err := isRun(args); err != nil {
		return err
	}
	folder := run.Folder(args[0])
	models, err := spaced(folder, count)
	if err != nil {
		return err
	}
	first, err := loadModel(folder.Model(models[0]))
	if err != nil {
		return err
	}
	if e.game, err = games.ByName(first.Game); err != nil {
		return err
	}
	var makers []arena.Maker
	for _, name := range models {
		maker, _, err := parsePlayer(e.game, folder.Model(name), e.opt.simulations, new(clock))
		if err != nil {
			return err
		}
		makers = append(makers, maker)
	}
	rungs := []rung{{Model: models[0]}}
	for i := 1; i < len(models); i++ {
		r, err := e.climb(ctx, rungs[i-1], models, makers, i)
		if err != nil {
			return err
		}
		rungs = append(rungs, r)
	}
	return e.app.printLadder(rungs, e.json)
}

// climb plays model i against its predecessor, whose rung is below, and
// against the first.
func (e *evaluation) climb(ctx context.Context, below rung, models []string, makers []arena.Maker, i int) (rung, error) {
	play := func(j int) (*matchResult, error) {
		x, err := e.app.match(ctx, e.game, e.opt, [2]string{models[i], models[j]}, [2]arena.Maker{makers[i], makers[j]})
		line := matchLine(models[i], models[j], x)
		return &line, err
	}
	r := rung{Model: models[i]}
	var err error
	if r.Previous, err = play(i - 1); err != nil {
		return r, err
	}
	if i > 1 {
		if r.First, err = play(0); err != nil {
			return r, err
		}
	}
	step := r.Previous
	r.Elo = below.Elo + step.Elo
	r.EloLow = r.Elo - math.Hypot(below.Elo-below.EloLow, step.Elo-step.EloLow)
	r.EloHigh = r.Elo + math.Hypot(below.EloHigh-below.Elo, step.EloHigh-step.Elo)
	return r, nil
}

// spaced names count models of a run, evenly spaced from the first to the
// last; all, if there are not so many.
func spaced(folder run.Folder, count int) ([]string, error) {
	generations, err := train.ReadMetrics(folder)
	if err != nil {
		return nil, err
	}
	n := len(generations)
	if n < 2 {
		return nil, fmt.Errorf("run %s has %d complete generations; to compare them takes two", folder, n)
	}
	count = min(count, n)
	var models []string
	for i := range count {
		models = append(models, run.ModelName(generations[i*(n-1)/(count-1)].Generation))
	}
	return models, nil
}

func (a *app) printLadder(rungs []rung, asJSON bool) error {
	if asJSON {
		for _, r := range rungs {
			if err := a.printJSON(r); err != nil {
				return err
			}
		}
		return nil
	}
	table := newGrid("model", "Elo", "against the one before", "against the first")
	for _, r := range rungs {
		table.row(r.Model, elo(r.Elo, r.EloLow, r.EloHigh), r.Previous.short(), r.First.short())
	}
	a.print(table)
	return nil
}

// short is a result in a cell of a table.
func (m *matchResult) short() string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf("+%d −%d =%d", m.Wins, m.Losses, m.Draws)
}
