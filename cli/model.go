package cli

import (
	"errors"

	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/models"
)

// openModel reads the model that args name, or else the carried one, and
// finds its game.
func (a *app) openModel(args []string) (c *model.Checkpoint, game games.Entry, err error) {
	c = a.carried
	if len(args) > 0 {
		c, err = models.Open(args[0])
	} else if c == nil {
		err = errors.New("no model is given, and this program carries none")
	}
	if err == nil {
		game, err = models.GameOf(c)
	}
	return c, game, err
}

// extraModels are the models to play with in the browser besides those of runs: the
// carried one, or else the bots in the box.
func (a *app) extraModels() ([]*model.Checkpoint, error) {
	if a.carried != nil {
		return []*model.Checkpoint{a.carried}, nil
	}
	return models.All()
}
