// Package docs carries the documents that the program shows.
package docs

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed rules/*.md
var rules embed.FS

// Rules is the text of a game's rules. A game with options set, which is
// named "game-option", has the text of the game.
func Rules(game string) (string, error) {
	base, _, _ := strings.Cut(game, "-")
	text, err := rules.ReadFile("rules/" + base + ".md")
	if err != nil {
		return "", fmt.Errorf("there is no text of the rules of %s", game)
	}
	return string(text), nil
}
