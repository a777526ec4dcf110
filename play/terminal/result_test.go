package terminal

import (
	"testing"
	"unicode/utf8"

	"dojo.example/arena"
	"dojo.example/internal/bounded"
)

// The lines of the table of results have at most 80 columns, even with long names and large
// numbers.
func TestResultsFit(t *testing.T) {
	x, lost := arena.Result{Wins: 4000, Losses: 3000, Draws: 3000}, arena.Result{Losses: 100}
	x.Pairs[2], x.Pairs[4], lost.Pairs[0] = 4500, 500, 50
	for _, line := range []string{
		ResultHeader("against"), ResultLine("runs/a-long-name/models/000123.safetensors:1000", x),
		ResultLine("random", lost),
	} {
		if n := utf8.RuneCountInString(line); n > bounded.LineWidth {
			t.Errorf("the line has %d columns: %s", n, line)
		}
	}
}
