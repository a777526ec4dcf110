package cli

import (
	"path/filepath"
	"strings"
	"testing"
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
