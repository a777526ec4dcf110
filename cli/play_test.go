package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/games"
	"dojo.example/play"
)

// typed runs the verb play as if the user had typed these lines at the prompt.
func typed(t *testing.T, lines []string, args ...string) string {
	t.Helper()
	return done(t, strings.Join(lines, "\n")+"\n", append([]string{"play"}, args...)...)
}

// For a game that another module registers, play shows the title and the rules, or says that the
// game comes without rules.
func TestPlayShowsTheRulesOfARegisteredGame(t *testing.T) {
	known := games.All
	t.Cleanup(func() { games.All = known })
	for _, c := range []struct {
		name  string
		about engine.About
		wants []string
	}{
		{"noughts", engine.About{Title: "Noughts and Crosses", Text: "Three in a row win.\n\n# In detail\n\n## Text\n\nNine squares."}, []string{"# Noughts and Crosses\n\nThree in a row win.", "## Text\n\nNine squares."}},
		{"silent", engine.About{}, []string{"there is no text of the rules of silent"}},
	} {
		rules := tictactoe.Rules
		rules.Name, rules.English, rules.Vietnamese = c.name, c.about, engine.About{}
		games.Register(rules)
		out := typed(t, []string{"rules", "quit"}, c.name, "--second", "human")
		for _, want := range c.wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the rules are\n%s\nwant %q", c.name, out, want)
			}
		}
	}
	if out := done(t, "", "rules", "list"); !strings.Contains(out, "Noughts and Crosses") || !strings.Contains(out, "Silent") {
		t.Errorf("the list of games has not their titles:\n%s", out)
	}
}

// TestPlayLoadsFilesAlone loads a device, a folder and a file that is too large. Each of them
// causes an error, and the game continues.
func TestPlayLoadsFilesAlone(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, play.MaxBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		os.DevNull: "not a regular file but a device",
		dir:        "not a regular file but a folder",
		large:      "longer than",
	} {
		out := typed(t, []string{"load " + path, "a3"}, "tictactoe", "--second", "human")
		if !strings.Contains(out, want) || !strings.Contains(out, "3 x..") {
			t.Errorf("load %s does not say %q and go on:\n%s", path, want, out)
		}
	}
}
