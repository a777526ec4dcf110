package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/internal/slow"
)

// Samples of solve are what evaluate --solved reads, and the same seed gives the
// same ones; without a sample it says what is in the table.
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

// With -o the lines go to a file, and none to stdout: PowerShell 5 would write UTF-16 there.
func TestSolveFile(t *testing.T) {
	args := []string{"solve", "tictactoe", "--sample", "2", "--plies", "4", "--json"}
	path := filepath.Join(t.TempDir(), "solved.jsonl")
	want, out := done(t, "", args...), done(t, "", append(args, "-o", path)...)
	if text, err := os.ReadFile(path); err != nil || string(text) != want || out != "" {
		t.Errorf("the file has %q, %v, and stdout %q; want the file %q", text, err, out, want)
	}
	r := dojo(t, "", append(args, "-o", path)...)
	if r.status != exitFailed || !strings.Contains(r.stderr, "--force") {
		t.Errorf("over a file: status %d, %q", r.status, r.stderr)
	}
}

func TestSolveTable(t *testing.T) {
	var got struct{ Positions, Won, Lost, Drawn, Plies int }
	out := done(t, "", "solve", "onitama", "--cards", "8,6,0,12,9", "--men", "1", "--json")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	// 553 places of two masters, 30 deals each.
	if got.Positions != 553*30 || got.Won+got.Lost+got.Drawn != got.Positions || got.Won < got.Lost || got.Plies < 5 {
		t.Errorf("it prints %s", out)
	}
	if text := done(t, "", "solve", "onitama", "--cards", "8,6,0,12,9", "--men", "1"); !strings.Contains(text, "16590") {
		t.Errorf("it says %s, want 16590 positions", text)
	}
	r := dojo(t, "", "solve", "onitama", "--cards", "8,6,0,12,9", "--memory", "500")
	if r.status != exitFailed || !strings.Contains(r.stderr, "more than --memory 500") {
		t.Errorf("with too little memory: status %d, %q", r.status, r.stderr)
	}
}
