package cli

import (
	"strings"
	"testing"

	"dojo.example/internal/slow"
)

// With --tables, a bot follows the table of endings in won and lost endings, even if its network
// prefers another action.
func TestBotWithTables(t *testing.T) {
	questions := []string{
		"..B../.W.../.b.../.w.../..... 0 6,12 0,9 8", // win in 9 plies
		"...b./...B./.W.../...../..w.. 1 0,6 9,12 8", // win in 15 plies
		"B..../....b/...../...W./w.... 1 0,12 6,9 8", // loss in 36 plies
	}
	const want = "12 B4C3\n12 D4E3\n6 E4E3\n"
	out := done(t, strings.Join(questions, "\n"), "bot", checkpoint(t, "onitama"), "--simulations", "1", "--tables")
	if out != want {
		t.Errorf("the bot answers %q, want %q", out, want)
	}
}

// With --tables, both the MODEL and a model named by --first play an ending perfectly: the game
// lasts exactly as many plies as with perfect play.
func TestPlayWithTables(t *testing.T) {
	slow.Test(t, "makes tables of endings")
	model := checkpoint(t, "onitama")
	out := done(t, "", "play", "onitama", model, "--simulations", "1", "--first", model+":1", "--tables",
		"--position", ".B.b./...../...../...W./....w 1 6,12 0,8 9")
	if n := strings.Count(out, " plays "); n != 47 || !strings.Contains(out, "second wins") {
		t.Errorf("the game ends after %d plies with %q, want a win of second after 47", n, out[strings.LastIndex(out, "The game"):])
	}
}
