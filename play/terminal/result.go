package terminal

import (
	"fmt"

	"dojo.example/arena"
	"dojo.example/engine"
	"dojo.example/internal/console"
)

// Results are printed a line each, as they come, on lines that fit 80 columns.

// ResultHeader is the header of lines of results.
func ResultHeader(what string) string {
	return fmt.Sprintf("%-*s %-14s %7s %7s %7s  %s", console.NameWidth, what, "games", "score", "first", "second", "Elo")
}

// ResultLine is the result of a match against the named player.
func ResultLine(against string, x arena.Result) string {
	return fmt.Sprintf("%-*s %-14s %7s %7s %7s  %s", console.NameWidth, console.Ending(against, console.NameWidth), console.WonLostDrawn(x.Wins, x.Losses, x.Draws),
		console.Percent(x.Score()), console.Percent(x.Seats[engine.First].Score()), console.Percent(x.Seats[engine.Second].Score()), console.Elo(x.Elo()))
}

// Margin is a mean number of points with its interval.
func Margin(m arena.Mean) string { return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", m.Mean, m.Low, m.High) }

// RepeatNote says that the game has fewer openings than were asked for, and
// what became of the games that were played again; it is empty if it has not.
func RepeatNote(x arena.Result, plies int) string {
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
