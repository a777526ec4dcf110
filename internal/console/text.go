package console

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"dojo.example/internal/bounded"
)

// OneLine joins the lines of a text, shortens what it quotes, and escapes what cannot be
// printed.
func OneLine(text string) string {
	var parts []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return bounded.Visible(bounded.Clip(strings.Join(parts, "; ")))
}

// Interrupted is the text of an error that an interrupt caused, without Go's words for the
// interrupt itself.
func Interrupted(text string) string {
	text = ": " + text
	for _, cause := range []string{context.Canceled.Error(), "interrupt signal received", "terminated signal received", "hangup signal received", "quit signal received"} {
		text = strings.NewReplacer(": "+cause, "", "; "+cause, "").Replace(text)
	}
	return "interrupted" + text
}

// NameWidth is how much of a player's name a line shows.
const NameWidth = 19

// WonLostDrawn is games won, lost and drawn.
func WonLostDrawn(won, lost, drawn int) string { return fmt.Sprintf("+%d −%d =%d", won, lost, drawn) }

// inRun shortens the path of a run's model to the run and the number.
var inRun = strings.NewReplacer("/models/", "/", ".safetensors", "")

// Ending returns text, or the end of it that fits the columns: the end of a path tells more
// than its beginning. A long path of a run's model becomes RUN/NUMBER.
func Ending(text string, columns int) string {
	if utf8.RuneCountInString(text) > columns {
		text = inRun.Replace(text)
	}
	if runes := []rune(text); len(runes) > columns {
		return "…" + string(runes[len(runes)-columns+1:])
	}
	return text
}

// Elo is a difference with its 95 % interval.
func Elo(mean, low, high float64) string { return fmt.Sprintf("%+.0f [%+.0f, %+.0f]", mean, low, high) }

// Percent is a share from 0 to 1.
func Percent[T float32 | float64](share T) string { return fmt.Sprintf("%.1f %%", 100*share) }

// Grouped writes a number with its thousands apart.
func Grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
