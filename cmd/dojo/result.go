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
		Names:        names,
		Games:        opt.games,
		Seed:         opt.seed,
		OpeningPlies: opt.openings,
		Workers:      opt.workers,
		Records: func(r arena.Record) {
			if r.Forfeit != nil {
				progress.clear()
				fmt.Fprintln(a.stderr, r.Forfeit)
			}
		},
		Progress: func(done int, x arena.Result) {
			progress.set(done, fmt.Sprintf("+%d −%d =%d", x.Wins, x.Losses, x.Draws))
		},
	})
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

// matchResult is the result of a match from A's side, as --json prints it.
type matchResult struct {
	A       string  `json:"a"`
	B       string  `json:"b"`
	Games   int     `json:"games"` // played, as are wins, losses and draws
	Wins    int     `json:"wins"`
	Losses  int     `json:"losses"`
	Draws   int     `json:"draws"`
	Elo     float64 `json:"elo"`
	EloLow  float64 `json:"elo_low"` // bounds of the 95 % interval
	EloHigh float64 `json:"elo_high"`

	Distinct int `json:"distinct"` // different openings
	Repeats  int `json:"repeats"`  // games that repeat an earlier one, and count once in Elo

	First  float64 `json:"first"` // A's share of the points as First, and as Second
	Second float64 `json:"second"`

	*Clocked
}

// Clocked is what a match under a clock says besides.
type Clocked struct {
	Forfeits [2]int  `json:"forfeits"`   // of A and of B: lost by the clock or an illegal answer
	Slowest  float64 `json:"slowest_ms"` // answer of a program, without its first
}

func matchLine(a, b string, x arena.Result) matchResult {
	m := matchResult{A: a, B: b, Games: x.Games(), Wins: x.Wins, Losses: x.Losses, Draws: x.Draws}
	m.Elo, m.EloLow, m.EloHigh = x.Elo()
	m.Distinct, m.Repeats = x.Openings, x.Repeats
	m.First, m.Second = x.Seat(engine.First), x.Seat(engine.Second)
	return m
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
