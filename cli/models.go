package cli

import (
	"fmt"
	"strings"

	"dojo.example/arena"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/model"
	"dojo.example/play/analysis"
	"dojo.example/play/terminal"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

// modelArgument returns an argument that names a model. It is optional in a program that carries a
// model.
func (a *app) modelArgument(name string) argument {
	arg := argument{name: name, offer: aModel}
	if a.carried != nil {
		arg.need = optional
	}
	return arg
}

// modelFor opens the named model and returns it with its game. If no model is named, it returns the
// carried model, or else the built-in bot of the game called name. If name is not "", the model
// must play that game.
func (a *app) modelFor(named []string, name string) (c *model.Checkpoint, game games.Entry, err error) {
	switch {
	case len(named) > 0:
		c, err = box.Open(named[0])
	case a.carried != nil:
		c = a.carried
	case name == "":
		err = usagef("name a MODEL, or a --game whose built-in bot is to be used")
	default:
		if game, err = gameNamed(name); err == nil {
			c, err = box.Load(name)
		}
	}
	if err == nil {
		game, err = games.Of(c)
	}
	if err == nil && name != "" && name != game.Name {
		err = fmt.Errorf("model %s plays %s, not %s", c.Name, game.Name, name)
	}
	return c, game, err
}

// analyserFor finds a model with modelFor and returns an analyser that uses it, and the model's
// name. The analyser computes in 8 bits if possible. If a search with budget b would need too much
// memory, analyserFor returns an error.
func (a *app) analyserFor(named []string, game string, b think.Budget, opt analysis.Options) (*analysis.Analyser, string, error) {
	c, entry, err := a.modelFor(named, game)
	if err != nil {
		return nil, "", err
	}
	s, err := think.Model(c, model.Best)
	if err != nil {
		return nil, "", err
	}
	x := analysis.New(entry.Game, s, opt)
	return x, c.Name, x.Check(b)
}

// gameFlag adds --game to a verb that takes a MODEL.
func gameFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "game", "", "use the built-in bot of this game, if no MODEL is named")
	offer(cmd, "game", aGame)
}

// gameNamed returns the game called name. If it is unknown, the error is a usage error.
func gameNamed(name string) (games.Entry, error) {
	game, err := games.ByName(name)
	return game, usage(err)
}

// noHuman returns an error if one of the players is human, because only programs can play in the
// given verb.
func noHuman(verb, game string, players ...string) error {
	for _, p := range players {
		if p != terminal.Human {
			continue
		}
		if game == "" {
			game = "GAME"
		}
		return usagef("people cannot play in dojo %s; play in the terminal with: %s", verb, command("play", game))
	}
	return nil
}

// extraModels returns the models that the browser page offers in addition to the models of runs:
// the carried model, or else the built-in bots.
func (a *app) extraModels() ([]*model.Checkpoint, error) {
	if a.carried != nil {
		return []*model.Checkpoint{a.carried}, nil
	}
	return box.All()
}

// tablesFlag adds --tables to a verb.
func tablesFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "tables", false, "use tables of endings, in a game that has them ("+tabledGames()+"); needs a second before the first move")
}

// tabledGames returns the names of the games that have tables of endings, separated by commas.
func tabledGames() string {
	var names []string
	for _, g := range games.All {
		if g.Tables {
			names = append(names, g.Name)
		}
	}
	return strings.Join(names, ", ")
}

// checkTables returns an error if --tables is given for a game without tables of endings.
func checkTables(game games.Entry, tables bool) error {
	if tables && !game.Tables {
		return usagef("--tables: there are no tables of endings for %s; leave the flag out", game.Name)
	}
	return nil
}

// gameOf returns the game called name. If name is "", it returns the game of the first model among
// the players.
func gameOf(name string, players ...string) (games.Entry, error) {
	if name != "" {
		return gameNamed(name)
	}
	for _, text := range players {
		path, err := arena.ModelPath(text)
		if err != nil {
			return games.Entry{}, err
		}
		if path != "" {
			c, err := box.Open(path)
			if err != nil {
				return games.Entry{}, err
			}
			return games.ByName(c.Game)
		}
	}
	return games.Entry{}, usagef("no player is a model, so the game is unknown: name it with --game")
}
