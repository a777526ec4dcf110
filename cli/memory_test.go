package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The result of a search with a fixed number of simulations does not depend on the number of
// workers. (It did in an earlier version, which divided the memory among the workers.)
func TestWorkersDecideNothing(t *testing.T) {
	const start = "fWTRdFeIJYKgSCZOaMGNEQXcBLDHbVPUA 0:5:0:0/0/0/0/0/0/0/0/0 0:5:0:0/0/0/0/0/0/0/0/0 1 0 -"
	query := fmt.Sprintf(`{"id":"a","position":%q,"simulations":2000,"top":1}`+"\n", start)
	var want string
	for _, workers := range []string{"1", "64"} {
		got := dojo(t, query, "analyse", "box:patchwork", "--json", "--workers", workers)
		if want == "" {
			want = got.stdout
		}
		if got.status != exitDone || got.stdout != want || !strings.Contains(got.stdout, `"visits":2000`) {
			t.Errorf("with %s workers: %s%s\nwant %s", workers, got.stdout, got.stderr, want)
		}
	}
}

// If the requested simulations could need more memory than --memory allows, every verb that
// searches fails immediately, with an error that names the flag.
func TestTooLittleMemory(t *testing.T) {
	dir := t.TempDir()
	record, run := filepath.Join(dir, "game.txt"), filepath.Join(dir, "run")
	if err := os.WriteFile(record, []byte("# dojo: a game of tictactoe\n.........\nb2 a3 a1 b3 c3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const many = "--simulations=1000000"
	for _, line := range [][]string{
		{"analyse", "box:patchwork", "usual", many},
		{"review", record, "box:tictactoe", many, "--memory=256MiB"},
		{"puzzles", record, "--model=box:tictactoe", many, "--memory=256MiB", "-o", filepath.Join(dir, "puzzles.jsonl")},
		{"match", "box", "greedy", "--game=patchwork", many, "--games=2", "--memory=1GiB"},
		{"evaluate", "box:patchwork", "--against=random,mcts:100000", "--games=2", "--memory=1GiB"},
		{"tune", "box:patchwork", many, "--games=2", "--memory=1GiB", "-o", filepath.Join(dir, "tune.jsonl")},
		{"play", "patchwork", many},
		{"bot", "box:patchwork", many},
		{"train", "patchwork-quick", "--set=mcts.simulations=1000000", "--run=" + run},
		{"selfplay", "patchwork-quick", "--set=mcts.simulations=1000000", "--run=" + run},
		{"train", "patchwork-quick", "--set=gate.simulations=1000000", "--run=" + run},
	} {
		got := dojo(t, "", line...)
		if got.status != exitFailed || !strings.Contains(got.stderr, "--memory") || strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("dojo %s: status %d\n%s%s", strings.Join(line, " "), got.status, got.stdout, got.stderr)
		}
	}
	if _, err := os.Stat(run); err == nil {
		t.Error("a run was begun")
	}
	const fewer = "games are played at a time instead of 16"
	got := dojo(t, "", "match", "mcts:400", "greedy", "--game=patchwork", "--games=32", "--workers=16", "--memory=256MiB", "--simulations=10")
	if got.status != exitDone || !strings.Contains(got.stderr, fewer) {
		t.Errorf("a match in little memory: status %d, want %q in\n%s", got.status, fewer, got.stderr)
	}
}
