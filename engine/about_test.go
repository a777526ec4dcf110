package engine_test

import (
	"strings"
	"testing"

	"dojo.example/engine"
)

// A game without texts still has a title. If a text is missing in a language, the English text is
// used.
func TestAbout(t *testing.T) {
	english := engine.About{Title: "Go", Text: "## 1. Board\n\nA board.\n\n# In detail\n\n## Text\n\nRows."}
	for _, c := range []struct {
		name, language      string
		english, vietnamese engine.About
		title, rules        string
	}{
		{"go:size=9", "vi", engine.About{}, engine.About{}, "Go", ""},
		{"go", "en", english, engine.About{Title: "Cờ vây"}, "Go", "# Go\n\n## Board\n\nA board.\n"},
		{"go", "vi", english, engine.About{Title: "Cờ vây"}, "Cờ vây", "# Cờ vây\n\n## Board\n\nA board.\n"},
		{"go", "../vi", english, engine.About{Title: "Cờ vây"}, "Go", "# Go\n\n## Board\n\nA board.\n"},
	} {
		g := engine.Game{Spec: engine.Spec{Name: c.name}, English: c.english, Vietnamese: c.vietnamese}
		if a := g.AboutIn(c.language); a.Title != c.title || a.ForPlayers() != c.rules {
			t.Errorf("%s in %q has the title %q and the rules %q, want %q and %q", c.name, c.language, a.Title, a.ForPlayers(), c.title, c.rules)
		}
	}
	if text := english.Section("Text"); text != "Rows." {
		t.Errorf("the section on texts is %q", text)
	}
}

// Check returns an error for a grid that the pages cannot draw.
func TestGridCheck(t *testing.T) {
	cell := func(name, mark string) engine.Cell { return engine.Cell{Name: name, Mark: mark} }
	for _, c := range []struct {
		want string // part of the expected error; "" if Check must accept the grid
		grid engine.Grid
	}{
		{"", engine.Grid{Rows: [][]engine.Cell{{cell("a1", engine.GoalOfFirst), cell("b1", engine.Special)}}, Lines: [][]string{{"a1", "b1"}}}},
		{"goes through cell \"c1\"", engine.Grid{Rows: [][]engine.Cell{{cell("a1", "")}}, Lines: [][]string{{"a1", "c1"}}}},
		{"the mark \"river\"", engine.Grid{Rows: [][]engine.Cell{{cell("a1", "river")}}}},
		{"empty or used twice", engine.Grid{Rows: [][]engine.Cell{{cell("a1", ""), cell("a1", "")}}}},
		{"has 1 cells", engine.Grid{Rows: [][]engine.Cell{{cell("a1", ""), cell("b1", "")}, {cell("a2", "")}}}},
		{"no cells", engine.Grid{}},
	} {
		if err := c.grid.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("the check says %v, want %q", err, c.want)
		}
	}
}
