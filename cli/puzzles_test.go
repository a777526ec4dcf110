package cli

import (
	"os"
	"path/filepath"
	"testing"

	"dojo.example/play/puzzles"
)

// Puzzles of a run and of a record are written to a file; an existing file stays as it is.
func TestPuzzles(t *testing.T) {
	dir := t.TempDir()
	record, out := filepath.Join(dir, "game.txt"), filepath.Join(dir, "puzzles.jsonl")
	if err := os.WriteFile(record, []byte("# dojo: a game of tictactoe\n.........\nb2 a3 a1 b3 c3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	done(t, "", "puzzles", record, "--simulations", "1000", "-o", out)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if all := decode[puzzles.Puzzle](t, string(text)); len(all) == 0 || all[0].Game != "tictactoe" || all[0].Best == "" {
		t.Errorf("the puzzles of a record are %s", text)
	}
	if r := dojo(t, "", "puzzles", record, "-o", out); r.status != exitFailed {
		t.Errorf("a file was replaced: %+v", r)
	}
	done(t, "", "puzzles", trained(t), "--model", "box:tictactoe", "--simulations", "1000", "--count", "3", "-o", out, "--force")
	if text, err = os.ReadFile(out); err != nil || len(decode[puzzles.Puzzle](t, string(text))) != 3 {
		t.Errorf("the puzzles of a run are %s, %v", text, err)
	}
	for _, args := range [][]string{{record, record, "--count", "0"}, {trained(t), record}, {filepath.Join(dir, "none.txt")}} {
		if r := dojo(t, "", append(append([]string{"puzzles"}, args...), "-o", filepath.Join(dir, "x"))...); r.status == exitDone {
			t.Errorf("puzzles %v: %+v", args, r)
		}
	}
}
