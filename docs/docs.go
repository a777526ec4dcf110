// Package docs carries the texts of the rules of dojo's own games.
package docs

import (
	"embed"
	"strings"

	"dojo.example/engine"
)

//go:embed rules
var rules embed.FS

// English returns the title and the rules of a game, from rules/GAME.md.
func English(game string) engine.About { return read("rules/" + game + ".md") }

// Vietnamese returns the title and the rules of a game, from rules/vi/GAME.md.
func Vietnamese(game string) engine.About { return read("rules/vi/" + game + ".md") }

// read reads a file, whose first line is the title. It panics if there is none.
func read(name string) engine.About {
	text, err := rules.ReadFile(name)
	if err != nil {
		panic(err)
	}
	title, rest, _ := strings.Cut(string(text), "\n")
	return engine.About{Title: strings.TrimPrefix(title, "# "), Text: strings.TrimSpace(rest)}
}
