package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// No verb replaces a file of a run or adds a file to a run's folder, not even with --force.
func TestRunsOwnFilesAreSafe(t *testing.T) {
	folder := rundir.Folder(trained(t))
	model := folder.Model("000001")
	if err := os.WriteFile(folder.Solved(), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	arms := filepath.Join(t.TempDir(), "arms.yaml")
	if err := os.WriteFile(arms, []byte("preset: tictactoe\nbudget: 1s\narms:\n  - name: a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, string(folder))
	for _, args := range [][]string{
		{"report", string(folder), "--force", "-o", folder.Solved()},
		{"export", model, "--force", "--as", "onnx", "-o", folder.Path("models", "mine.onnx")},
		{"export", model, "--force", "--as", "web", "-o", folder.Path("gates")},
		{"distil", model, "--force", "-o", folder.Path("ledger.jsonl")},
		{"evaluate", model, "--against", "random", "--games", "2", "--ladder", folder.Path("models", "lad.jsonl")},
		{"evaluate", model, "--against", "random", "--games", "2", "--ladder", folder.Path("ledger.jsonl")},
		{"evaluate", "--player", "random", "--game", "tictactoe", "--games", "2", "--ladder", folder.Path("samples", "lad.jsonl")},
		{"train", "tictactoe", "--run", folder.Path("models", "mine"), "--for", "1ms"},
		{"sweep", arms, "--out", string(folder)},
		{"worker", "--join", "127.0.0.1:1", "--key", folder.Path("models", "mine.key")},
		{"worker", "--join", "127.0.0.1:1", "--key", folder.Path("best")},
		{"serve", "--games", string(folder)},
		{"serve", "--games", folder.Path("gates")},
		{"sweep", arms, "--out", folder.Path("models", "mine")},
	} {
		r := dojo(t, "", args...)
		if r.status != exitFailed || !strings.Contains(r.stderr, "run") || !strings.Contains(r.stderr, "choose another") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	out := done(t, fmt.Sprintf("save --force %s\nquit\n", folder.Solved()), "play", "tictactoe", "--second", "random")
	if !strings.Contains(out, "belongs to the run") {
		t.Errorf("save says %q", out)
	}
	if after := snapshot(t, string(folder)); !maps.Equal(after, before) {
		t.Errorf("the run had the files %q and has %q", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
}
