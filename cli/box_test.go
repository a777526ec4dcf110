package cli

import (
	"strings"
	"testing"
)

// The bot in the box of a game plays where no model is named, and is a model like any
// other where one is.
func TestBox(t *testing.T) {
	if got := done(t, "xx.oo....\n", "bot", "--game", "tictactoe", "--simulations", "100"); got != "c3\n" {
		t.Errorf("with a win in one at c3, the bot in the box answers %q", got)
	}
	if out := typed(t, []string{"hint"}, "tictactoe", "--position", "xx.oo....", "--simulations", "50"); !strings.Contains(out, "c3 ") || strings.Contains(out, "no model judges") {
		t.Errorf("with a win in one at c3 the hint shows:\n%s", out)
	}
	for _, args := range [][]string{
		{"match", "box:8", "random", "--game", "tictactoe", "--games", "4"},
		{"match", "random", "box:tictactoe@1ms", "--games", "4"},
		{"match", "box", "box#float32", "--game", "tictactoe", "--games", "4"},
		{"evaluate", "box:tictactoe", "--against", "random", "--games", "4"},
		{"inspect", "box:tictactoe"},
	} {
		if out := done(t, "", args...); !strings.Contains(out, "box") {
			t.Errorf("dojo %q prints %q", args, out)
		}
	}
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"bot"}, exitUsage, "a MODEL is missing, or --game"},
		{[]string{"export", "-o", "x"}, exitUsage, "a MODEL is missing, or --game"},
		{[]string{"bot", "box:onitama", "--game", "patchwork"}, exitFailed, "plays onitama, not patchwork"},
		{[]string{"match", "box", "random"}, exitUsage, "say --game"},
		{[]string{"match", "box", "random", "--game", "oanquan-traditional"}, exitFailed, "no model of oanquan-traditional comes with this program"},
		{[]string{"match", "box:tictactoe", "box:onitama"}, exitFailed, "plays onitama, not tictactoe"},
	} {
		if r := dojo(t, "", c.args...); r.status != c.status || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("dojo %q: %+v, want %q", c.args, r, c.says)
		}
	}
}
