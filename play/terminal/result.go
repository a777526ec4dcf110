package terminal

import (
	"fmt"

	"dojo.example/arena"
	"dojo.example/engine"
	"dojo.example/internal/console"
)

// ResultHeader returns the header of a table whose lines come from ResultLine. The parameter what
// is the title of the column with the players' names. All lines have at most 80 columns. The column
// widths are fixed, so a program can print each result as soon as it is known.
func ResultHeader(what string) string {
	return fmt.Sprintf("%-*s %-14s %7s %7s %7s  %s", console.NameWidth, what, "games", "score", "first", "second", "Elo")
}

// ResultLine formats the result of a match against the named opponent.
func ResultLine(against string, x arena.Result) string {
	return fmt.Sprintf("%-*s %-14s %7s %7s %7s  %s", console.NameWidth, console.Ending(against, console.NameWidth), console.WonLostDrawn(x.Wins, x.Losses, x.Draws),
		console.Percent(x.Score()), console.Percent(x.Seats[engine.First].Score()), console.Percent(x.Seats[engine.Second].Score()), console.Elo(x.Elo()))
}

// Margin formats a mean number of points with its confidence interval.
func Margin(m arena.Mean) string { return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", m.Mean, m.Low, m.High) }

// OpeningsNote returns a note if a match had fewer different openings than pairs of games, and ""
// otherwise. The note also explains the consequences. games is the number of games that the match
// should have had, and plies is the number of random actions in each opening.
func OpeningsNote(x arena.Result, games, plies int) string {
	note := fmt.Sprintf("only %d different openings of %d random actions were found", x.Openings, plies)
	switch pairs := x.Games() / 2; {
	case x.Games() < games:
		note += fmt.Sprintf(", so the match ends after %d of %d games: deterministic players would only repeat them", x.Games(), games)
	case x.Openings >= pairs:
		return ""
	case x.Repeats > 0:
		note += fmt.Sprintf(" for %d pairs, so some were played again; %d of %d games repeat an earlier game and do not count again in score and Elo", pairs, x.Repeats, x.Games())
	default:
		note += fmt.Sprintf(" for %d pairs, so some were played again; all games are different and count", pairs)
	}
	return note + " (--openings sets the number of actions)"
}
