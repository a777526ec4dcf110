package main

import (
	"context"
	"fmt"

	"dojo/arena"
	"dojo/engine"
	"dojo/games"
	"dojo/internal/console"
	"dojo/play/terminal"
)

// matched is who plays in a match.
type matched struct {
	game   games.Entry
	names  [2]string
	makers [2]arena.Maker

	// players are what workers are told of them, if they help: see [arena.Portable].
	players [2]string

	// balanced says which openings are played; nil: all.
	balanced func(context.Context, engine.Position) (bool, error)

	// test ends the match when it is decided; nil: none.
	test *arena.SPRT

	// play plays it; nil is [arena.Match].
	play func(context.Context, arena.Options) (arena.Result, error)
}

// tested is the log-likelihood ratio of a result between the bounds of the test.
func (m *matched) tested(r arena.Result) string {
	llr, _ := m.test.Verdict(r)
	reject, accept := m.test.Bounds()
	return fmt.Sprintf("llr %+.2f (%.2f, %.2f)", llr, reject, accept)
}

// verdict says in words what the test has found.
func (m *matched) verdict(r arena.Result) string {
	switch _, v := m.test.Verdict(r); v {
	case arena.Accept:
		return fmt.Sprintf("accepted: A is stronger by %v Elo rather than by %v", m.test.Elo1, m.test.Elo0)
	case arena.Reject:
		return fmt.Sprintf("rejected: A is stronger by %v Elo rather than by %v", m.test.Elo0, m.test.Elo1)
	}
	return "undecided: it needs more --games"
}

// match plays a match, and shows how far it is.
func (a *app) match(ctx context.Context, opt matchOptions, m matched) (arena.Result, error) {
	progress := console.NewBar(a.stderr, opt.games, m.names[0]+" – "+m.names[1])
	defer progress.Clear()
	if m.play == nil {
		m.play = arena.Match
	}
	match := arena.Options{
		Game:         m.game.Game.Game,
		A:            m.makers[0],
		B:            m.makers[1],
		Names:        m.names,
		Games:        opt.games,
		Seed:         opt.seed,
		OpeningPlies: opt.openings,
		Balanced:     m.balanced,
		Workers:      opt.workers,
		Records: func(r arena.Record) {
			if r.Forfeit != nil {
				progress.Clear()
				fmt.Fprintln(a.stderr, oneLine(r.Forfeit.Error()))
			}
		},
		Progress: func(done int, x arena.Result) {
			remark := console.WonLostDrawn(x.Wins, x.Losses, x.Draws)
			if m.test != nil {
				remark = m.tested(x)
			}
			progress.Set(done, remark)
		},
	}
	if m.test != nil {
		match.Stop = func(r arena.Result) bool {
			_, v := m.test.Verdict(r)
			return v != arena.Continue
		}
	}
	if opt.remote != nil {
		var err error
		if match.Source, err = opt.remote.Source(match, m.players); err != nil {
			return arena.Result{}, err
		}
	}
	result, err := m.play(ctx, match)
	if err != nil {
		so := ""
		if n := result.Games(); n > 0 {
			so = fmt.Sprintf(", %d of %d games played: %s", n, opt.games, console.WonLostDrawn(result.Wins, result.Losses, result.Draws))
		}
		return result, fmt.Errorf("match of %s against %s%s: %w", m.names[0], m.names[1], so, err)
	}
	progress.Clear()
	if note := terminal.RepeatNote(result, opt.openings); note != "" {
		fmt.Fprintf(a.stderr, "%s against %s: %s\n", m.names[0], m.names[1], note)
	}
	return result, nil
}
