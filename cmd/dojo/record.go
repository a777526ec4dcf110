package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"dojo/engine"
	"dojo/internal/atomicfile"
)

// record is a game as play saves it: one line of JSON.
type record struct {
	Game    string   `json:"game"`
	Start   string   `json:"start"`   // a position
	Actions []string `json:"actions"` // in the game's notation
}

var errNoFile = errors.New("which file? save FILE, load FILE")

// save writes the game so far.
func (s *session) save(path string) error {
	if path == "" {
		return errNoFile
	}
	r := record{Game: s.game.Name, Start: s.positions[0].String(), Actions: []string{}}
	r.Actions = append(r.Actions, names(s.positions[0], s.actions)...)
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, append(text, '\n'))
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
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%s is not a saved game: %w", path, err)
	}
	if r.Game != s.game.Name {
		return fmt.Errorf("%s is a game of %q, not of %s", path, r.Game, s.game.Name)
	}
	p, err := s.game.Parse(r.Start)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	positions, actions := []engine.Position{p}, []engine.Action{}
	for i, name := range r.Actions {
		if p.Outcome() != engine.Ongoing {
			return fmt.Errorf("%s: action %d comes after the end of the game", path, i+1)
		}
		action, err := engine.ParseAction(p, name)
		if err != nil {
			return fmt.Errorf("%s: action %d: %w", path, i+1, err)
		}
		p = p.Play(action)
		positions, actions = append(positions, p), append(actions, action)
	}
	s.positions, s.actions = positions, actions
	return nil
}
