package main

import (
	"context"
	"fmt"

	"dojo/arena"
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
			progress.set(done, wonLostDrawn(x.Wins, x.Losses, x.Draws))
		},
	})
	if err != nil {
		return result, fmt.Errorf("match of %s against %s: %w", names[0], names[1], err)
	}
	return result, nil
}
