package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/internal/slow"
)

// The verb "evaluate --solved" reads the samples that solve prints. The same seed gives the same
// sample. Without --sample, solve prints statistics of the table.
func TestSolve(t *testing.T) {
	slow.Test(t, "solves positions of Onitama")
	for game, args := range map[string][]string{
		"onitama":   {"--cards", "8,6,0,12,9", "--men", "2", "--min-plies", "5"},
		"oanquan":   {"--plies", "5", "--nodes", "20000"},
		"patchwork": {"--plies", "2", "--nodes", "20000"},
		"tictactoe": {},
	} {
		args = append([]string{"solve", game, "--sample", "8", "--seed", "3", "--json"}, args...)
		lines := done(t, "", args...)
		if again := done(t, "", append(args, "--workers", "3")...); again != lines {
			t.Errorf("dojo %q: with three workers it prints\n%s, and before\n%s", args, again, lines)
		}
		if n := strings.Count(lines, "\n"); n != 8 {
			t.Errorf("dojo %q prints %d lines, want 8", args, n)
		}
		path := filepath.Join(t.TempDir(), "solved.jsonl")
		if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
		out := done(t, "", "evaluate", "--player", "random", "--game", game, "--solved", path, "--json")
		if !strings.Contains(out, `"skipped":0,"positions":8`) {
			t.Errorf("of the lines of dojo %q evaluate says %s, want 8 positions and none skipped", args, out)
		}
	}
}
