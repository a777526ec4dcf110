package main

import (
	"errors"
	"fmt"
	"strings"

	"dojo/arena"
	"dojo/games"
	"dojo/model"
	"dojo/run"
)

// openModel reads the model that args name, or else the carried one, and
// finds its game.
func (a *app) openModel(args []string) (*model.Checkpoint, games.Entry, error) {
	c := a.carried
	if len(args) > 0 {
		var err error
		if c, err = loadModel(args[0]); err != nil {
			return nil, games.Entry{}, err
		}
	}
	if c == nil {
		return nil, games.Entry{}, errors.New("no model is given, and this program carries none")
	}
	game, err := games.ByName(c.Game)
	if err != nil {
		return nil, games.Entry{}, fmt.Errorf("model %s: %w", c.Name, err)
	}
	if err := c.Check(game.Spec); err != nil {
		return nil, games.Entry{}, err
	}
	return c, game, nil
}

// loadModel reads a checkpoint, the best one of a run, or the bot in the box of a game.
// Behind it, "#float32" leaves out what it needs to play in 8 bits.
func loadModel(text string) (c *model.Checkpoint, err error) {
	if game, ok := boxed(text); ok {
		c, err = boxModel(game)
	} else {
		var path string
		if path, err = modelPath(text); err != nil {
			return nil, err
		}
		c, err = model.Load(path)
	}
	if err == nil && strings.HasSuffix(text, inFloats) {
		c.Ranges = nil
	}
	return c, err
}

const inFloats = arena.InFloats

// modelPath is the file of a model: path itself, or the best of the run there.
func modelPath(path string) (string, error) {
	return run.ModelFile(strings.TrimSuffix(path, inFloats))
}
