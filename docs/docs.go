// Package docs carries the documents that the program shows.
package docs

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed rules
var rules embed.FS

// numbers are those of sections and paragraphs, which sources cite.
var numbers = regexp.MustCompile(`(?m)^(## |- )([0-9]+\. |\*\*P[0-9]+\*\* )`)

// ForPlayers is what players have to know of a game's rules, in a language: "vi", or
// "en", which "" stands for.
func ForPlayers(game, language string) (string, error) {
	if language != "" && language != "en" {
		return read(language+"/", game)
	}
	text, err := read("", game)
	text, _, _ = strings.Cut(text, "\n# In detail\n")
	return numbers.ReplaceAllString(text, "$1"), err
}

// Notation is the section of a game's rules on how positions and actions are written, or "".
func Notation(game string) string { return section(game, "Text") }

// Encoding is the section of a game's rules on what a network sees of it, or "".
func Encoding(game string) string { return section(game, "What the network sees") }

// section is the section of a game's rules with a heading that begins with a title, or "".
func section(game, title string) string {
	text, _ := read("", game) // "" if there is none
	for _, s := range strings.Split(text, "\n## ") {
		heading, content, _ := strings.Cut(s, "\n")
		if strings.HasPrefix(strings.TrimLeft(heading, "0123456789. "), title) {
			return strings.TrimSpace(content)
		}
	}
	return ""
}

// read reads the text of a game's rules in a folder of them. A game with options, which is
// named "game-variant" or "game:option=value", has the text of the game.
func read(folder, game string) (string, error) {
	base := game
	if end := strings.IndexAny(game, "-:"); end >= 0 {
		base = game[:end]
	}
	text, err := rules.ReadFile("rules/" + folder + base + ".md")
	if err != nil {
		return "", fmt.Errorf("there is no text of the rules of %s", game)
	}
	return string(text), nil
}
