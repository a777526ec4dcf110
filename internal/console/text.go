package console

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"dojo.example/internal/bounded"
)

// OneLine joins the lines of text into one, shortens long quotations, and escapes unprintable
// characters.
func OneLine(text string) string {
	var parts []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return bounded.Visible(bounded.Clip(strings.Join(parts, "; ")))
}

// Interrupted takes the message of an error caused by an interrupt, and replaces Go's words for the
// interrupt with "interrupted".
func Interrupted(text string) string {
	text = ": " + text
	for _, cause := range []string{context.Canceled.Error(), "interrupt signal received", "terminated signal received", "hangup signal received", "quit signal received"} {
		text = strings.NewReplacer(": "+cause, "", "; "+cause, "").Replace(text)
	}
	return "interrupted" + text
}

// NameWidth is the number of columns for a player's name in a table.
const NameWidth = 19

// WonLostDrawn formats the numbers of games won, lost and drawn.
func WonLostDrawn(won, lost, drawn int) string { return fmt.Sprintf("+%d −%d =%d", won, lost, drawn) }

// inRun shortens the path of a model in a run, RUN/models/NUMBER.safetensors, to RUN/NUMBER.
var inRun = strings.NewReplacer("/models/", "/", ".safetensors", "")

// Ending shortens text to the given number of columns. It keeps the end, because the end of a path
// is more informative than its beginning. If text is the path of a model in a run, it first
// shortens it to RUN/NUMBER.
func Ending(text string, columns int) string {
	if utf8.RuneCountInString(text) > columns {
		text = inRun.Replace(text)
	}
	if runes := []rune(text); len(runes) > columns {
		return "…" + string(runes[len(runes)-columns+1:])
	}
	return text
}

// Elo formats a difference in Elo with its 95 % confidence interval.
func Elo(mean, low, high float64) string { return fmt.Sprintf("%+.0f [%+.0f, %+.0f]", mean, low, high) }

// Percent formats a fraction from 0 to 1 as a percentage.
func Percent[T float32 | float64](share T) string { return fmt.Sprintf("%.1f %%", 100*share) }

// Grouped formats a number with commas between groups of three digits, such as 1,234,567.
func Grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
