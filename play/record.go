package play

import (
	"errors"
	"fmt"
	"strings"

	"dojo.example/engine"
)

// recordHead is the beginning of the first line of a saved game.
const recordHead = "# dojo: a game of "

// String returns the game as text that Read can parse: a comment with the name of the game, the
// first position, and one line for each turn.
func (g *Game) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n%s", recordHead, g.Rules.Name, g.Positions[0])
	for i, action := range g.Actions {
		p := g.Positions[i]
		between := " "
		if i == 0 || p.ToMove() != g.Positions[i-1].ToMove() {
			between = "\n"
		}
		b.WriteString(between + p.ActionString(action))
	}
	b.WriteByte('\n')
	return b.String()
}

// GameOf returns the name of the game from the comment in a saved game, or "" if there is no such
// comment.
func GameOf(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), recordHead); ok {
			return name
		}
	}
	return ""
}

// MaxBytes is the maximum size of a saved game in bytes.
const MaxBytes = 1 << 20

// Read parses a saved game in the format of String and checks that its actions are legal. The
// comment with the name of the game may be missing. The first position and the actions may also be
// on one line, as in a Patchwork record.
func Read(rules engine.Game, text string) (Game, error) {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, recordHead); ok && name != rules.Name {
			return Game{}, fmt.Errorf("this is a game of %s, not of %s", name, rules.Name)
		}
		if line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return Game{}, errors.New("the text contains no position")
	}
	start, rest, err := readStart(rules, lines)
	if err != nil {
		return Game{}, err
	}
	g := New(rules, start)
	for _, line := range rest {
		turn, err := engine.ParseActions(g.Now(), line)
		if err != nil {
			return Game{}, fmt.Errorf("action %d: %w", len(g.Actions)+1, err)
		}
		g.Play(turn...)
	}
	return g, nil
}

// readStart parses the first position of a saved game. The position may be the first line, the
// first word of the first line, or all lines together.
func readStart(rules engine.Game, lines []string) (p engine.Position, rest []string, err error) {
	// In some games, the text of a position begins with a part that is itself a valid position. In
	// Patchwork, this part is the circle of patches. So readStart tries the whole line first.
	if p, err = rules.Parse(lines[0]); err == nil && p.String() == lines[0] {
		return p, lines[1:], nil
	}
	if first, actions, ok := strings.Cut(lines[0], " "); ok {
		if p, err = rules.Parse(first); err == nil {
			// The first word is a valid position, but the line may also be a longer position that
			// contains an error. readStart assumes the latter if the rest of the line is not a list
			// of actions and this game's notation for positions contains spaces.
			if _, bad := engine.ParseActions(p, actions); bad == nil || !strings.Contains(p.String(), " ") {
				return p, append([]string{strings.TrimSpace(actions)}, lines[1:]...), nil
			}
		}
	}
	if p, err = rules.Parse(lines[0]); err == nil {
		return p, lines[1:], nil
	}
	if whole, bad := rules.Parse(strings.Join(lines, "\n")); bad == nil {
		return whole, nil, nil
	}
	return nil, nil, err
}
