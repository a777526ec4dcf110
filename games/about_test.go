package games_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dojo.example/games"
)

// forPrograms matches parts of the rules that players do not need: sources, references, and the
// numbers of sections and paragraphs.
var forPrograms = regexp.MustCompile(`engine/|CodinGame|referee|network|(?m)^#+ [0-9]|\*\*P[0-9]`)

// The rules for players have the same sections in all languages. They contain nothing that is meant
// for programmers.
func TestForPlayers(t *testing.T) {
	files, err := filepath.Glob("../engine/*/rules.md")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		game := filepath.Base(filepath.Dir(file))
		var sections []int
		entry, err := games.ByName(game)
		if err != nil {
			t.Fatal(err)
		}
		for _, language := range []string{"", "en", "vi"} {
			text := entry.AboutIn(language).ForPlayers()
			if found := forPrograms.FindString(text); found != "" {
				t.Errorf("%s %q: players read %q", game, language, found)
			}
			sections = append(sections, strings.Count(text, "\n## "), strings.Count(text, "\n- "))
		}
		if sections[0] != sections[4] || sections[1] != sections[5] || sections[0] == 0 && game != "tictactoe" {
			t.Errorf("%s has %d sections and %d points in English, %d and %d in Vietnamese", game, sections[0], sections[1], sections[4], sections[5])
		}
	}
}

// The rules of every game have a section that explains the network input.
func TestEncoding(t *testing.T) {
	for _, name := range []string{"onitama", "wallonitama:turns=20", "patchwork-seven", "oanquan", "othello"} {
		game, err := games.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if text := game.English.Section("What the network sees"); len(text) < 200 || strings.Contains(text, "##") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
