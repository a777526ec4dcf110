package main

import (
	"fmt"

	"dojo/arena"
	"dojo/engine"
	"dojo/internal/console"
)

// Results are printed a line each, as they come, on lines that fit 80 columns.

// resultHeader is the header of lines of results.
func resultHeader(what string) string {
	return fmt.Sprintf("%-*s %-14s %7s %7s %7s  %s", console.NameWidth, what, "games", "score", "first", "second", "Elo")
}

// resultLine is the result of a match against the named player.
func resultLine(against string, x arena.Result) string {
	return fmt.Sprintf("%-*s %-14s %7s %7s %7s  %s", console.NameWidth, console.Ending(against, console.NameWidth), console.WonLostDrawn(x.Wins, x.Losses, x.Draws),
		console.Percent(x.Score()), console.Percent(x.Seat(engine.First)), console.Percent(x.Seat(engine.Second)), console.Elo(x.Elo()))
}

// margin is a mean number of points with its interval.
func margin(m arena.Mean) string { return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", m.Mean, m.Low, m.High) }
