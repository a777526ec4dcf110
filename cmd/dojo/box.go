package main

import (
	"strings"

	"dojo/arena"
	"dojo/model"
	"dojo/models"
)

// boxPrefix begins a MODEL that is the bot in the box of a game, as in box:onitama.
const boxPrefix = arena.Box + ":"

// boxModel returns the bot in the box of a game: the model that comes with this program
// and is used where none is named. It is called box:GAME.
func boxModel(game string) (*model.Checkpoint, error) {
	c, err := models.Load(game)
	if err == nil {
		c.Name = boxPrefix + game
	}
	return c, err
}

// boxed is the game of a MODEL that is the bot in its box.
func boxed(text string) (game string, ok bool) {
	return strings.CutPrefix(strings.TrimSuffix(text, inFloats), boxPrefix)
}

// extraModels are the models to play with in the browser besides those of runs: the
// carried one, or else the bots in the box.
func (a *app) extraModels() (all []*model.Checkpoint, err error) {
	if a.carried != nil {
		return []*model.Checkpoint{a.carried}, nil
	}
	for _, game := range models.Games() {
		c, err := boxModel(game)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
