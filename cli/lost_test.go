package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Positions in which games of a ladder were lost are what evaluate --solved reads, and
// the loser keeps none of them; they do not depend on the number of threads.
func TestSolveLost(t *testing.T) {
	dir := t.TempDir()
	ladder, lost := filepath.Join(dir, "ladder.jsonl"), filepath.Join(dir, "lost.jsonl")
	done(t, "", "evaluate", "--player", "greedy", "--game", "tictactoe", "--against", "alphabeta:9", "--games", "40", "--ladder", ladder)
	args := []string{"solve", "tictactoe", "--lost", ladder, "--loser", "greedy", "--json", "--workers"}
	lines := done(t, "", append(args, "1")...)
	if n := strings.Count(lines, `"played":`); n < 3 || strings.Count(lines, "\n") != n {
		t.Fatalf("%d positions: %s", n, lines)
	}
	if other := done(t, "", append(args, "3")...); other != lines {
		t.Errorf("with three threads it prints\n%s, and with one\n%s", other, lines)
	}
	if err := os.WriteFile(lost, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	out := done(t, "", "evaluate", "--player", "alphabeta:9", "--game", "tictactoe", "--solved", lost, "--json")
	if !strings.Contains(out, `"share":1,`) {
		t.Errorf("an exact search keeps %s", out)
	}
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"--lost " + ladder + " --loser wizard --json", exitFailed, "has no player wizard; there are"},
		{"--lost " + ladder, exitUsage, "say --json"},
		{"--lost " + ladder + " --json --sample 3", exitUsage, "--sample is not for --lost"},
		{"--lost " + ladder + "x --json", exitFailed, "there is no file"},
		{"--loser greedy --sample 3 --json", exitUsage, "--loser is for --lost"},
	} {
		args := append([]string{"solve", "tictactoe"}, strings.Fields(c.args)...)
		if r := dojo(t, "", args...); r.status != c.status || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("dojo %q: %+v, want %q", args, r, c.says)
		}
	}
}
