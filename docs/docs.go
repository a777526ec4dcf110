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

// Encoding is the section of a game's rules on what a network sees of it, or "".
func Encoding(game string) string {
	text, err := read("", game)
	if err != nil {
		return ""
	}
	_, section, _ := strings.Cut(text, "What the network sees\n")
	section, _, _ = strings.Cut(section, "\n## ")
	return strings.TrimSpace(section)
}

// forPrograms are the headings of the sections that only those who write programs need.
var forPrograms = regexp.MustCompile(`^## [0-9. ]*(What the network sees|CodinGame's|Time\n|What is not certain)`)

// RulesOfPlay is the text of a game's rules without what only those who write programs need.
func RulesOfPlay(game string) (string, error) {
	text, err := read("", game)
	var kept strings.Builder
	for n, section := range strings.Split(text, "\n## ") {
		if n > 0 {
			section = "\n## " + section
		}
		if !forPrograms.MatchString(strings.TrimPrefix(section, "\n")) {
			kept.WriteString(section)
		}
	}
	return strings.TrimRight(kept.String(), "\n"), err
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
