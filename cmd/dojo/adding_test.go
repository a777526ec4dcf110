package main_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dojo.example/internal/slow"
)

// block matches a code block in ADDING_A_GAME.md whose opening fence names a file, as in ```go
// games/games.go.
var block = regexp.MustCompile("(?s)```(?:go|yaml) (\\S+)\n(.*?)```\n")

// This test follows ADDING_A_GAME.md literally in a copy of the repository. The test passes if the
// resulting game can be trained. The only difference is that the training run is shorter than in
// the document.
func TestAddingAGame(t *testing.T) {
	slow.Test(t, "builds a second program")
	text, err := os.ReadFile("../../docs/ADDING_A_GAME.md")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	copySource(t, "../..", root)
	files := 0
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		path := filepath.Join(root, filepath.FromSlash(m[1]))
		content := m[2]
		if m[1] == "games/games.go" {
			content = withLine(t, path, m[2])
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		files++
	}
	if files != 4 {
		t.Fatalf("the document has %d files, want 4", files)
	}
	_, commands, _ := strings.Cut(string(text), "```sh\n")
	commands, _, _ = strings.Cut(commands, "```")
	for line := range strings.Lines(commands) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if words[0] != "go" {
			t.Fatalf("command %q is not of the go tool", line)
		}
		if strings.Contains(line, "dojo train") {
			words = append(words, "--generations", "2", "--set", "selfplay.games=32", "--set", "mcts.simulations=8",
				// With these gate settings almost every candidate is promoted, so even a short run
				// produces a model that can play.
				"--set", "gate.elo0=-400", "--set", "gate.elo1=-200")
		}
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		if strings.Contains(line, "dojo match") && !strings.Contains(string(out), "mcts:200") {
			t.Errorf("%s prints %s", line, out)
		}
	}
}

// withLine returns the source of games/games.go, read from path, with line added to the list of
// games and with the import that line needs.
func withLine(t *testing.T, path, line string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const list, imports = "var All = []Entry{\n", "	\"dojo.example/engine\"\n"
	if !strings.Contains(string(text), list) || !strings.Contains(string(text), imports) {
		t.Fatalf("%s has another form", path)
	}
	with := strings.Replace(string(text), list, list+line, 1)
	return strings.Replace(with, imports, imports+"	\"dojo.example/engine/connectfour\"\n", 1)
}

// copySource copies all files from which the program is built: sources and embedded files.
func copySource(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && rel != "." && (strings.HasPrefix(name, ".") || name == "testdata" && rel != filepath.Join("games", "testdata") || name == "node_modules" || name == "runs"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular() || !needed(name):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func needed(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".s", ".h", ".mod", ".safetensors", ".zip", ".sum", ".md", ".yaml", ".csv", ".gz", ".txt", ".json", ".tmpl", ".html", ".js", ".css":
		return true
	}
	return false
}
