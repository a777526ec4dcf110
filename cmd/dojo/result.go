package main

import (
	"context"
	"fmt"

	"dojo/arena"
	"dojo/games"
)

// match plays names[0] against names[1], and shows how far it is. With opt.remote the
// players must be those of opt.players.
func (a *app) match(ctx context.Context, game games.Entry, opt matchOptions, names [2]string, makers [2]arena.Maker) (arena.Result, error) {
	progress := a.newBar(opt.games, names[0]+" – "+names[1])
	defer progress.clear()
	match := arena.Options{
		Game:         game.Game,
		A:            makers[0],
		B:            makers[1],
		Names:        names,
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
	}
	if opt.remote != nil {
		var err error
		if match.Source, err = opt.remote.source(match, opt.players); err != nil {
			return arena.Result{}, err
		}
	}
	result, err := arena.Match(ctx, match)
	if err != nil {
		return result, fmt.Errorf("match of %s against %s: %w", names[0], names[1], err)
	}
	progress.clear()
	if note := repeatNote(result, opt.openings); note != "" {
		fmt.Fprintf(a.stderr, "%s against %s: %s\n", names[0], names[1], note)
	}
	return result, nil
}

// repeatNote says that the game has fewer openings than were asked for, and
// what became of the games that were played again; it is empty if it has not.
func repeatNote(x arena.Result, plies int) string {
	pairs := x.Games() / 2
	if x.Openings >= pairs {
		return ""
	}
	note := fmt.Sprintf("only %d different openings of %d random actions were found for %d pairs, so they were played again", x.Openings, plies, pairs)
	if x.Repeats > 0 {
		note += fmt.Sprintf("; %d of %d games repeat an earlier one, and count once in score and Elo", x.Repeats, x.Games())
	}
	return note
}
