package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// All verbs that accept residual models also accept sparse ones.
func TestSparseModelsGoEverywhere(t *testing.T) {
	path, dir := sparseCheckpoint(t, "tictactoe"), t.TempDir()
	for _, c := range []struct {
		stdin string
		args  []string
		want  string // on stdout
	}{
		{"xx.oo....\n", []string{"bot", path, "--simulations", "100"}, "c3\n"},
		{"hint\nquit\n", []string{"play", "tictactoe", path, "--first", "human", "--simulations", "20"}, "prior"},
		{"", []string{"match", path + ":4", path + "#float32:4", "--games", "4", "--json"}, `"games":4`},
		{"", []string{"evaluate", path, "--against", "random", "--games", "4", "--json"}, `"games":4`},
		{"", []string{"inspect", path}, "sparse"},
		{"", []string{"export", path, "--as", "onnx", "-o", filepath.Join(dir, "m.onnx"), "--json"}, `"model":"sparse"`},
	} {
		if out := done(t, c.stdin, c.args...); !strings.Contains(out, c.want) {
			t.Errorf("dojo %q prints %q, want %q in it", c.args, out, c.want)
		}
	}
}

// If a sparse model belongs to another game, the error is one line that names the model and both
// games.
func TestSparseRefusalsAreOneLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"match", sparseCheckpoint(t, "tictactoe"), "random", "--game", "onitama", "--games", "2"},
			"checkpoint sparse plays tictactoe, not onitama"},
	} {
		r := dojo(t, "", c.args...)
		if r.status != exitFailed || !strings.Contains(r.stderr, c.want) {
			t.Errorf("dojo %q: status %d, %q, want %q", c.args, r.status, r.stderr, c.want)
		}
		oneErrorLine(t, c.args, r)
	}
}

// If network.sparse.half is set, the models of a run have columns in 16 bits, the run can be
// verified and continued, another run can begin with its model, and the model can be exported.
func TestHalfModelsGoEverywhere(t *testing.T) {
	dir := t.TempDir()
	run, bot := filepath.Join(dir, "run"), filepath.Join(dir, "bot.cpp")
	settings := []string{"--set", "mcts.simulations=2", "--set", "selfplay.games=8", "--set", "selfplay.shard_games=4", "--set", "train.optimiser.batch=32",
		"--set", "gate.games=4", "--set", "gate.simulations=2"}
	done(t, "", slices.Concat([]string{"train", "onitama", "--run", run, "--set", "network.sparse.columns=96",
		"--set", "network.sparse.half=true", "--set", "train.generations=2", "--set", "seed=3"}, settings)...)
	path := rundir.Folder(run).Model("000001")
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(text, []byte(`"columns.weight":{"dtype":"F16"`)) {
		t.Errorf("%s has no columns in 16 bits: %v", path, err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"verify", run, "--shards", "100%"}, "no differences"},
		{[]string{"train", "--run", run, "--generations", "3"}, ""},
		{[]string{"verify", run}, "no differences"},
		{slices.Concat([]string{"train", "onitama", "--from", path, "--run", run + "2", "--generations", "1"}, settings), ""},
		{[]string{"inspect", path}, "96 columns in 16 bits"},
		{[]string{"match", path + ":4", path + "#float32:4", "--games", "4", "--json"}, `"games":4`},
		{[]string{"export", path, "--as", "onnx", "-o", filepath.Join(dir, "m.onnx"), "--json"}, `"model":"000001"`},
		{[]string{"export", path, "--as", "codingame-cpp", "--no-verify", "-o", bot, "--json"}, `"units":`},
	} {
		if out := done(t, "", c.args...); !strings.Contains(out, c.want) {
			t.Errorf("dojo %q prints %q, want %q in it", c.args, out, c.want)
		}
	}
	if r := dojo(t, "", "train", "--run", run, "--set", "network.sparse.half=false"); r.status == exitDone {
		t.Error("a run that has begun was changed")
	}
}
