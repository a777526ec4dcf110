package train

import (
	"context"
	"fmt"
	"time"

	"dojo/arena"
	"dojo/run"
)

// gate is the stage gate: the candidate of the generation plays the best model, which
// decides which of them is the best from now on.
func (r *Run) gate(ctx context.Context, m *Metrics) error {
	candidate := run.ModelName(m.Generation)
	a, err := r.player(candidate)
	if err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	b, err := r.player(m.Player)
	if err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	games := gateGames{candidate: candidate, best: m.Player}
	start := time.Now()
	test := r.opt.Gate.test()
	report := r.opt.Report.Stage(m.Generation, "gate", r.opt.Gate.Games)
	result, err := arena.Match(ctx, arena.Options{
		Game:         r.opt.Game,
		A:            a,
		B:            b,
		Names:        [2]string{candidate, m.Player},
		Games:        r.opt.Gate.Games,
		Seed:         r.opt.Seed ^ (streamGate + uint64(m.Generation)),
		OpeningPlies: r.opt.Gate.OpeningPlies,
		Workers:      r.opt.Workers,
		Progress: func(done int, x arena.Result) {
			report(done, fmt.Sprintf("+%d −%d =%d", x.Wins, x.Losses, x.Draws))
		},
		Stop: func(x arena.Result) bool {
			_, v := test.Verdict(x)
			return v != arena.Continue
		},
		Records: games.add,
	})
	if err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	if err := games.publish(r.opt.Folder.Gate(m.Generation)); err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	m.Gate = newGateResult(result, promoted(test, result))
	m.Gate.Seconds = time.Since(start).Seconds()
	m.Best = m.Player
	if m.Gate.Promoted {
		m.Best = candidate
	}
	return nil
}

// promoted reports whether the candidate becomes the best model: as the test
// decided, or, if it did not decide, if the candidate scored more than half.
func promoted(test arena.SPRT, x arena.Result) bool {
	switch _, v := test.Verdict(x); v {
	case arena.Accept:
		return true
	case arena.Reject:
		return false
	}
	return x.Score() > 0.5
}

// player returns a player that searches with the named model, without noise, and
// plays the best action found.
func (r *Run) player(name string) (arena.Maker, error) {
	e, err := r.opt.evaluator(name)
	if err != nil {
		return nil, err
	}
	search := r.opt.Search
	search.Simulations = r.opt.Gate.Simulations
	return arena.Net(r.opt.NewSearch, r.opt.Game.Spec, e, search), nil
}
