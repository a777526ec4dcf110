package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/arena"
)

// A ladder's file is added to, rates all that it has, and is shown without a model.
func TestEvaluateLadder(t *testing.T) {
	model, file := checkpoint(t, "tictactoe"), filepath.Join(t.TempDir(), "ladder.jsonl")
	first := []string{"evaluate", model, "--against", "random,greedy", "--games", "4", "--simulations", "8", "--ladder", file, "--json"}
	out := done(t, "", first...)
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), "\n") != 5 {
		t.Fatalf("the file has %q, %v; want a line and four pairs", text, err)
	}
	if again := done(t, "", first...); again != out {
		t.Errorf("asked again it prints\n%s, and before\n%s", again, out)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != string(text) {
		t.Error("asked again, games were played")
	}
	done(t, "", "evaluate", "--player", "alphabeta:2", "--game", "tictactoe", "--against", "random,"+model+":8", "--games", "4", "--ladder", file)
	rungs := decode[arena.Rung](t, done(t, "", "evaluate", "--ladder", file, "--json"))
	if len(rungs) != 4 {
		t.Fatalf("the ladder has %+v, want four players", rungs)
	}
	for _, r := range rungs {
		if r.Group != 0 || (r.Player == "random") != (r.EloLow == r.EloHigh) || (r.Model != "") != (r.Player == model+":8") {
			t.Errorf("the ladder has %+v", r)
		}
	}
	itself := filepath.Join(t.TempDir(), "itself.jsonl")
	r := dojo(t, "", "evaluate", model, "--against", model+",random", "--games", "2", "--simulations", "8", "--ladder", itself)
	if r.status != exitDone || !strings.Contains(r.stderr, "is the same player as") {
		t.Errorf("a model against itself: %+v", r)
	}
	if rungs := decode[arena.Rung](t, done(t, "", "evaluate", "--ladder", itself, "--json")); len(rungs) != 2 {
		t.Errorf("the ladder of a model, itself and random has %+v", rungs)
	}
	for _, c := range []struct{ args, says string }{
		{"--ladder " + file + "x", "no such file"},
		{"--ladder " + model, "its first line is not one of a match log"},
		{"box:onitama --against random --ladder " + file, "is of tictactoe, not onitama"},
	} {
		args := append([]string{"evaluate"}, strings.Fields(c.args)...)
		if r := dojo(t, "", args...); r.status != exitFailed || !strings.Contains(r.stderr, c.says) {
			t.Errorf("dojo %q: %+v, want %q", args, r, c.says)
		}
	}
}
