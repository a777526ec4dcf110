package main

import (
	"fmt"

	"dojo/model"
)

// boxModel returns the bot in the box of a game: the model that comes with this program
// and is used where none is named. No game has one.
func boxModel(game string) (*model.Checkpoint, error) {
	return nil, fmt.Errorf("no model of %s comes with this program: name a MODEL", game)
}
