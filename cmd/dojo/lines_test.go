package main

import (
	"testing"
	"unicode/utf8"

	"dojo/arena"
	"dojo/internal/bounded"
	"dojo/internal/console"
)

// Lines of results fit 80 columns, with long names and large numbers.
func TestResultsFit(t *testing.T) {
	x, lost := arena.Result{Wins: 4000, Losses: 3000, Draws: 3000}, arena.Result{Losses: 100}
	x.Pairs[2], x.Pairs[4], lost.Pairs[0] = 4500, 500, 50
	for _, line := range []string{
		resultHeader("against"), resultLine("runs/a-long-name/models/000123.safetensors:1000", x),
		resultLine("random", lost),
	} {
		if n := utf8.RuneCountInString(line); n > bounded.LineWidth {
			t.Errorf("the line has %d columns: %s", n, line)
		}
	}
}

func TestEnding(t *testing.T) {
	for text, want := range map[string]string{"mcts:10": "mcts:10", "runs/quick": "runs/quick", "runs/quicker": "…s/quicker",
		"a/b/models/000012.safetensors:64": "…000012:64", "a/models/000012.safetensors": "a/000012"} {
		if got := console.Ending(text, 10); got != want {
			t.Errorf("of %s the end is %s, want %s", text, got, want)
		}
	}
}
