package main

import (
	"context"
	"fmt"

	"dojo/arena"
	"dojo/engine"
	"dojo/games"
)

// match plays names[0] against names[1], and shows how far it is.
func (a *app) match(ctx context.Context, game games.Entry, opt matchOptions, names [2]string, makers [2]arena.Maker) (arena.Result, error) {
	progress := a.newBar(opt.games, names[0]+" – "+names[1])
	defer progress.clear()
	result, err := arena.Match(ctx, arena.Options{
		Game:         game.Game,
		A:            makers[0],
		B:            makers[1],
		Games:        opt.games,
		Seed:         opt.seed,
		OpeningPlies: opt.openings,
		Workers:      opt.workers,
		Records: func(r arena.Record) {
			if r.Forfeit != nil {
				progress.clear()
				fmt.Fprintln(a.stderr, oneLine(r.Forfeit.Error()))
			}
		},
		Progress: func(done int, x arena.Result) {
			progress.set(done, fmt.Sprintf("+%d −%d =%d", x.Wins, x.Losses, x.Draws))
		},
	})
	if err != nil {
		return result, fmt.Errorf("match of %s against %s: %w", names[0], names[1], err)
	}
	return result, nil
}

// resultHeader is the header of a table of results, behind columns of names.
func resultHeader(names ...any) []any {
	return append(names, "games", "+", "−", "=", "score", "first", "second", "Elo")
}

func resultRow(names []any, x arena.Result) []any {
	score, low, high := x.Interval()
	return append(names, x.Games(), x.Wins, x.Losses, x.Draws,
		fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*score, 100*low, 100*high),
		percent(float32(x.Seat(engine.First))), percent(float32(x.Seat(engine.Second))), elo(x.Elo()))
}

// elo is a difference with its 95 % interval.
func elo(mean, low, high float64) string { return fmt.Sprintf("%+.0f [%+.0f, %+.0f]", mean, low, high) }

func percent(share float32) string { return fmt.Sprintf("%.1f %%", 100*share) }
