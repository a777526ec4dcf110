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

const addingAGame = "../../docs/ADDING_A_GAME.md"

// block matches a block of code in the document that names its file.
var block = regexp.MustCompile("(?s)```(?:go|yaml) (\\S+)\n(.*?)```\n")

// leftOut matches a line that stands for lines of the file which the document leaves out.
var leftOut = regexp.MustCompile(`(?m)^\s*(?://|#)? ?…\n`)

// The code in ADDING_A_GAME.md consists of excerpts of the files that the document names.
func TestExcerpts(t *testing.T) {
	blocks := block.FindAllStringSubmatch(read(t, addingAGame), -1)
	seen := map[string]bool{}
	for _, m := range blocks {
		seen[m[1]] = true
		if part := missing(read(t, filepath.Join("../..", filepath.FromSlash(m[1]))), m[2]); part != "" {
			t.Errorf("%s does not have these lines of the document, or has them in another order:\n%s", m[1], part)
		}
	}
	for _, file := range []string{"engine/connectfour/connectfour.go", "engine/connectfour/connectfour_test.go", "games/games.go", "configs/connectfour-quick.yaml"} {
		if !seen[file] {
			t.Errorf("the document has no excerpt of %s", file)
		}
	}
}

// missing returns the first part of an excerpt that the text does not have after the parts before
// it. It returns "" if the text has all parts.
func missing(text, excerpt string) string {
	text = "\n" + text
	for _, part := range leftOut.Split(excerpt, -1) {
		_, rest, found := strings.Cut(text, "\n"+part)
		if !found {
			return part
		}
		text = "\n" + rest
	}
	return ""
}

func TestMissing(t *testing.T) {
	const text = "one\n\ttwo\nthree\nfour\n"
	for excerpt, want := range map[string]string{
		"one\n\ttwo\n": "", "\ttwo\nthree\n": "", "one\n\t// …\nfour\n": "", "…\nthree\n": "",
		"one\nthree\n": "one\nthree\n", "four\n…\none\n": "one\n", "two\n": "two\n", "thr\n": "thr\n",
	} {
		if got := missing(text, excerpt); got != want {
			t.Errorf("of the excerpt %q the text lacks %q, want %q", excerpt, got, want)
		}
	}
}

// This test adds a game to a copy of the repository by the steps of ADDING_A_GAME.md: a folder, a
// line and a configuration. The game is Connect Four under another name. The commands are those of
// the document; only the run is shorter.
func TestAddingAGame(t *testing.T) {
	slow.Test(t, "builds a second program")
	const name = "added"
	renamed := func(text string) string { return strings.ReplaceAll(text, "connectfour", name) }
	root := t.TempDir()
	copySource(t, "../..", root)
	files, err := filepath.Glob("../../engine/connectfour/*.*")
	if err != nil || len(files) < 4 {
		t.Fatalf("the game has the files %v (error: %v)", files, err)
	}
	for _, file := range files {
		write(t, filepath.Join(root, "engine", name, renamed(filepath.Base(file))), renamed(read(t, file)))
	}
	write(t, filepath.Join(root, "configs", name+"-quick.yaml"), renamed(read(t, "../../configs/connectfour-quick.yaml")))
	list := filepath.Join(root, "games", "games.go")
	write(t, list, withLine(t, read(t, list), name))

	_, commands, _ := strings.Cut(read(t, addingAGame), "```sh\n")
	commands, _, _ = strings.Cut(commands, "```")
	for line := range strings.Lines(renamed(commands)) {
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

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// withLine returns the source of the list of games with a line for another game and its import.
func withLine(t *testing.T, source, name string) string {
	t.Helper()
	const list, imports = "var All = []Entry{\n", "	\"dojo.example/engine\"\n"
	if !strings.Contains(source, list) || !strings.Contains(source, imports) {
		t.Fatal("games.go has another form")
	}
	with := strings.Replace(source, list, list+"	entry("+name+".Rules),\n", 1)
	return strings.Replace(with, imports, imports+"	\"dojo.example/engine/"+name+"\"\n", 1)
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
