package box

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/search/think"
)

// maxBytes is the maximum size of a built-in checkpoint.
const maxBytes = 2_500_000

// Every built-in model is a small checkpoint of its game and plays in 8 bits.
func TestBox(t *testing.T) {
	if len(Games()) < 5 {
		t.Errorf("only %v have a built-in bot", Games())
	}
	for _, game := range Games() {
		c, err := Load(game)
		if err != nil {
			t.Fatal(err)
		}
		if c.Game != game {
			t.Errorf("%s%s plays %s", game, extension, c.Game)
		}
		if _, err := c.Evaluator(model.Int8); err != nil {
			t.Errorf("%s: %v", game, err)
		}
		page, err := os.ReadFile(game + ".md")
		if err != nil || !strings.Contains(string(page), c.Hash()) {
			t.Errorf("%s.md is not the page of model %s, %v", game, c.Hash(), err)
		}
		if data, _ := files.ReadFile(game + extension); len(data) > maxBytes {
			t.Errorf("%s has %d bytes, more than %d", game, len(data), maxBytes)
		}
	}
	if c, err := Load("chess"); err == nil {
		t.Errorf("chess has the bot %s", c.Name)
	}
}

// A suffix of a model's name, such as #float32, changes how the model plays, but not its weights.
func TestChanges(t *testing.T) {
	box, err := Load("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open("box:tictactoe#cpuct=2#float32#visits")
	if err != nil {
		t.Fatal(err)
	}
	own, err := think.Constants(box.Meta)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := think.Constants(c.Meta); err != nil || s.CPuct != 2 || s.FPUReduction != own.FPUReduction || s.Final != "visits" || c.Ranges != nil || c.Search != box.Search || c.Hash() != box.Hash() {
		t.Errorf("the model has the constants %+v, %v, ranges: %v, hash %s", s, err, c.Ranges != nil, c.Hash())
	}
	for name, want := range map[string]string{
		"box:tictactoe#cpuct=-1": "not positive", "box:tictactoe#cpct=1": "may follow the name",
		"box:tictactoe#tables": "may follow the name", "box:tictactoe#cpuct=2:8": `write "box:tictactoe#cpuct=2" instead`, "box:tictactoe#random=0.5": "may follow the name",
	} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// A model with the suffix #float32 belongs to the same run as the model without it.
func TestRunOf(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	file := f.Model("000001")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]rundir.Folder{file: f, file + "#float32": f, "box:onitama": "", "": "", "other/000001.safetensors": ""} {
		if got := RunOf(name); got != want {
			t.Errorf("model %q lies in %q, want %q", name, got, want)
		}
	}
}

// Levels are the strengths that a user can choose on the page. They must be rated for the current
// built-in models, and each level must be stronger than the previous one. In tic-tac-toe and Connect
// Four the best levels hardly differ, because they make hardly any mistakes.
func TestLevels(t *testing.T) {
	text, err := os.ReadFile("../../serve/web/src/play/levels.json")
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Levels  []struct{ Simulations int }
		Ratings map[string]struct {
			Model string
			Elo   []int
		}
	}
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	for _, game := range Games() {
		c, err := Load(game)
		if err != nil {
			t.Fatal(err)
		}
		rated := page.Ratings[game]
		if rated.Model != c.Hash() {
			t.Errorf("%s: the ratings are those of model %q, and the built-in bot is %s: run games/box/levels.sh", game, rated.Model, c.Hash())
		}
		if len(rated.Elo) != len(page.Levels) || !slices.IsSorted(rated.Elo) && game != "tictactoe" && game != "connectfour" {
			t.Errorf("%s: the levels have the ratings %v", game, rated.Elo)
		}
	}
}
