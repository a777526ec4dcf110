package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dojo/arena"
	"dojo/engine"
)

// Results are printed a line each, as they come, on lines that fit 80 columns.

// nameWidth is how much of a player's name a line shows.
const nameWidth = 19

// resultHeader is the header of lines of results.
func resultHeader(what string) string {
	return fmt.Sprintf("%-*s %-14s %7s %7s %7s  %s", nameWidth, what, "games", "score", "first", "second", "Elo")
}

// resultLine is the result of a match against the named player.
func resultLine(against string, x arena.Result) string {
	return fmt.Sprintf("%-*s %-14s %7s %7s %7s  %s", nameWidth, ending(against, nameWidth), wonLostDrawn(x.Wins, x.Losses, x.Draws),
		percent(x.Score()), percent(x.Seat(engine.First)), percent(x.Seat(engine.Second)), elo(x.Elo()))
}

// wonLostDrawn is games won, lost and drawn.
func wonLostDrawn(won, lost, drawn int) string { return fmt.Sprintf("+%d −%d =%d", won, lost, drawn) }

// inRun shortens the path of a run's model to the run and the number.
var inRun = strings.NewReplacer("/models/", "/", ".safetensors", "")

// ending is text, or as much of its end as so many columns hold: the end of a
// path tells more than its beginning. A long path of a run's model is told as RUN/NUMBER.
func ending(text string, columns int) string {
	if utf8.RuneCountInString(text) > columns {
		text = inRun.Replace(text)
	}
	if runes := []rune(text); len(runes) > columns {
		return "…" + string(runes[len(runes)-columns+1:])
	}
	return text
}

// elo is a difference with its 95 % interval.
func elo(mean, low, high float64) string { return fmt.Sprintf("%+.0f [%+.0f, %+.0f]", mean, low, high) }

// margin is a mean number of points with its interval.
func margin(m arena.Mean) string { return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", m.Mean, m.Low, m.High) }

// percent is a share from 0 to 1.
func percent[T float32 | float64](share T) string { return fmt.Sprintf("%.1f %%", 100*share) }
