package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"dojo/engine"
	"dojo/internal/output"
)

// A saved game is text in the game's own notation: a comment that names the
// game, the position it starts from, and a line for every turn. What is read
// may also stand on one line, position and actions, as a Patchwork record
// does, and its comments may be missing.
const recordHead = "# dojo: a game of "

var errNoFile = errors.New("which file? save FILE, load FILE")

// save writes the game so far; "--force FILE" replaces a file.
func (s *session) save(path string) error {
	first, rest, _ := strings.Cut(path, " ")
	force := first == "--force"
	if force {
		path = strings.TrimSpace(rest)
	}
	if path == "" {
		return errNoFile
	}
	f, err := output.Open(path, output.Policy{Force: force})
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n%s", recordHead, s.game.Name, s.positions[0])
	for i, name := range names(s.positions[0], s.actions) {
		if i == 0 || s.positions[i].ToMove() != s.positions[i-1].ToMove() {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(name)
	}
	b.WriteByte('\n')
	return f.WriteText(b.String())
}

// load replaces the game by one from a file, if all of that is legal.
func (s *session) load(path string) error {
	if path == "" {
		return errNoFile
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	positions, actions, err := readRecord(s.game.Game, string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s.positions, s.actions = positions, actions
	return nil
}

// setUp replaces the game by a position.
func (s *session) setUp(text string) error {
	positions, actions, err := readRecord(s.game.Game, text)
	if err == nil {
		s.positions, s.actions = positions, actions
	}
	return err
}

// readRecord reads a game: its positions, and the actions between them.
func readRecord(game engine.Game, text string) ([]engine.Position, []engine.Action, error) {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, recordHead); ok && name != game.Name {
			return nil, nil, fmt.Errorf("this is a game of %s, not of %s", name, game.Name)
		}
		if line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, nil, errors.New("there is no position in it")
	}
	p, rest, err := readStart(game, lines)
	if err != nil {
		return nil, nil, err
	}
	positions, actions := []engine.Position{p}, []engine.Action(nil)
	for _, line := range rest {
		turn, err := engine.ParseActions(p, line)
		if err != nil {
			return nil, nil, fmt.Errorf("action %d: %w", len(actions)+1, err)
		}
		for _, action := range turn {
			p = p.Play(action)
			positions, actions = append(positions, p), append(actions, action)
		}
	}
	return positions, actions, nil
}

// readStart reads the position that a game starts from: on a line of its own,
// before the actions on the first line, or on several lines.
func readStart(game engine.Game, lines []string) (p engine.Position, rest []string, err error) {
	if first, actions, ok := strings.Cut(lines[0], " "); ok {
		if p, err = game.Parse(first); err == nil {
			return p, append([]string{strings.TrimSpace(actions)}, lines[1:]...), nil
		}
	}
	if p, err = game.Parse(lines[0]); err == nil {
		return p, lines[1:], nil
	}
	if whole, bad := game.Parse(strings.Join(lines, "\n")); bad == nil {
		return whole, nil, nil
	}
	return nil, nil, err
}
