package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/internal/bounded"
)

// Every verb that reads text files accepts a byte order mark and Windows line endings. If a file is
// in UTF-16, the error says so.
func TestTextOfOtherTools(t *testing.T) {
	dir, good := t.TempDir(), sparseCheckpoint(t, "tictactoe")
	for _, c := range []struct {
		name string
		text string
		args func(file string) (args []string, stdin string)
	}{
		{"a configuration", "game: tictactoe\n", func(file string) ([]string, string) {
			return []string{"train", file, "--run", filepath.Join(dir, "run-"+filepath.Base(file)), "--for", "1ns"}, ""
		}},
		{"a sweep", "preset: tictactoe\nbudget: 1s\narms:\n  - name: a\n    set: [mcts.simulatons=1]\n", func(file string) ([]string, string) {
			return []string{"sweep", file, "--out", filepath.Join(dir, "sweep")}, ""
		}},
		{"queries", `{"id":"a","game":"tictactoe","position":".........","simulations":10}` + "\n", func(file string) ([]string, string) {
			return []string{"analyse", good, "--json"}, read(t, file)
		}},
		{"questions", ".........\n", func(file string) ([]string, string) {
			return []string{"bot", good, "--simulations", "5"}, read(t, file)
		}},
		{"a saved game", "# dojo: a game of tictactoe\n.........\na1\nb2\n", func(file string) ([]string, string) {
			return []string{"review", file, good, "--simulations", "5"}, ""
		}},
		{"a ladder", `{"match_log":1,"game":"tictactoe"}` + "\n", func(file string) ([]string, string) {
			return []string{"evaluate", "--player", "greedy", "--game", "tictactoe", "--against", "random", "--games", "2", "--ladder", file}, ""
		}},
		{"solved positions", `{"pos":"xx.oo....","moves":{"c3":"W1","c2":"L1","a1":"L1","b1":"L1","c1":"L1"}}` + "\n", func(file string) ([]string, string) {
			return []string{"evaluate", good, "--solved", file, "--simulations", "5", "--json"}, ""
		}},
		{"a token", "secret-of-many-letters\n", func(file string) ([]string, string) {
			return []string{"train", "tictactoe", "--run", filepath.Join(dir, "run-text"), "--listen", "127.0.0.1:0", "--token-file", file, "--generations", "1", "--set", "selfplay.games=32", "--set", "gate.games=2", "--set", "mcts.simulations=2", "--set", "train.passes=0.1"}, ""
		}},
	} {
		var want result
		for i, text := range []string{c.text, bounded.BOM + c.text, strings.ReplaceAll(c.text, "\n", "\r\n"), bounded.BOM + strings.ReplaceAll(c.text, "\n", "\r\n")} {
			file := filepath.Join(dir, "text") // always the same name, so that outputs are equal
			if err := os.RemoveAll(filepath.Join(dir, "run-text")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			args, stdin := c.args(file)
			r := dojo(t, stdin, args...)
			if i == 0 {
				want = r
				if r.status == exitFailed {
					t.Errorf("%s is refused: %+v", c.name, r)
				}
			} else if r.status != want.status || r.stdout != want.stdout || r.status != exitDone && r.stderr != want.stderr {
				t.Errorf("%s as %.10q…: %+v, want %+v", c.name, text, r, want)
			}
		}
		file := filepath.Join(dir, "wide")
		wide := "\xff\xfe"
		for _, b := range []byte(c.text) {
			wide += string([]byte{b, 0})
		}
		if err := os.WriteFile(file, []byte(wide), 0o644); err != nil {
			t.Fatal(err)
		}
		args, stdin := c.args(file)
		if r := dojo(t, stdin, args...); r.status == exitDone || !strings.Contains(r.stderr, "UTF-16") {
			t.Errorf("%s in UTF-16: %+v", c.name, r)
		}
	}
}

// read returns the text of a file.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
