package cli

import (
	"strings"
	"testing"

	"dojo.example/arena"
)

// A bot is refused only if it is, with statistical certainty, far weaker than its model.
func TestFarBelow(t *testing.T) {
	for _, c := range []struct {
		name         string
		wins, losses int
		says         string // text that the error must contain; "" if the bot is accepted
	}{
		{"wrong rules", 0, 40, "Elo -763"},
		{"wrong rules, a lucky game", 1, 39, "certainly below -250"},
		{"a slow language", 10, 30, ""},
		{"a very slow one", 4, 36, ""}, // -382 Elo, but the interval extends above -250
		{"too few games to know", 0, 2, ""},
		{"equal", 20, 20, ""},
	} {
		r := arena.Result{Wins: c.wins, Losses: c.losses}
		r.Pairs[0], r.Pairs[4] = float64(c.losses/2), float64(c.wins/2)
		if c.wins%2 == 1 {
			r.Pairs[2] = 1
		}
		m := r.Summary("bot", "model")
		err := farBelow(&m)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s, Elo %.0f (%.0f to %.0f): %v, want %q", c.name, m.Elo, m.EloLow, m.EloHigh, err, c.says)
		}
	}
}
