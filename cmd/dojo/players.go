package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"dojo/arena"
	"dojo/games"
	"dojo/think"
)

// env is what the players of a game are made from; a model without a number
// of its own searches with so many simulations.
func env(game games.Entry, simulations int) arena.Env {
	return arena.Env{
		Game:        game.Game,
		NewSearch:   game.NewSearch,
		Simulations: simulations,
		Load: func(path string) (think.Options, error) {
			c, err := loadModel(path)
			if err != nil {
				return think.Options{}, err
			}
			if err := c.Check(game.Spec); err != nil {
				return think.Options{}, fmt.Errorf("model %s: %w", path, err)
			}
			return think.Model(c), nil
		},
	}
}

// parsePlayer makes the player that is named text: one of [arena.Forms], or
// MODEL@TIME, which searches by the clock, or cmd:PROGRAM, which is held to c.
func parsePlayer(game games.Entry, text string, simulations int, c *clock) (arena.Maker, string, error) {
	if program, ok := strings.CutPrefix(text, "cmd:"); ok {
		maker, err := newExternal(game, program, c)
		return maker, text, err
	}
	e := env(game, simulations)
	if path, after, ok := cutLast(text, "@"); ok {
		if limit, err := time.ParseDuration(after); err == nil && limit > 0 {
			opt, err := e.Load(path)
			if err != nil {
				return nil, "", err
			}
			return arena.Search(game.NewSearch, game.Spec, opt, think.Budget{Time: limit}), text, nil
		}
	}
	return arena.Parse(text, e)
}

// cutLast cuts text around the last of some characters.
func cutLast(text, characters string) (before, after string, found bool) {
	i := strings.LastIndexAny(text, characters)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// seat finds who is meant by the text of play's --first and --second.
func (a *app) seat(game games.Entry, text string, model think.Options, simulations int) (seat, error) {
	switch {
	case text == "human":
		return seat{name: "human"}, nil
	case text == "" && model.Evaluator != nil:
		return seat{"model", arena.Search(game.NewSearch, game.Spec, model, think.Budget{Visits: simulations})()}, nil
	case text == "":
		text = "mcts:1000"
	}
	maker, name, err := parsePlayer(game, text, simulations, new(clock))
	if err != nil {
		return seat{}, err
	}
	return seat{name, maker()}, nil
}

// gameOf is the named game or, without a name, that of the first player which
// is a model.
func gameOf(name string, players ...string) (games.Entry, error) {
	if name != "" {
		return games.ByName(name)
	}
	for _, text := range players {
		path := text
		if _, err := os.Stat(strings.TrimSuffix(path, inFloats)); err != nil {
			path, _, _ = cutLast(text, ":@")
		}
		if _, err := os.Stat(strings.TrimSuffix(path, inFloats)); err != nil {
			continue
		}
		c, err := loadModel(path)
		if err != nil {
			return games.Entry{}, err
		}
		return games.ByName(c.Game)
	}
	return games.Entry{}, usageError{errors.New("no player is a model that knows its game: say --game")}
}
