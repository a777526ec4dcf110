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

// modelArgument is a MODEL, which a program that carries one need not be told.
func (a *app) modelArgument(name string) argument {
	arg := argument{name: name, offer: aModel}
	if a.carried != nil {
		arg.need = optional
	}
	return arg
}

// modelFor opens the model that is named, else the carried one, else the one in the box
// of the game, and finds its game. If a game is given the model must play it.
func (a *app) modelFor(named []string, name string) (c *model.Checkpoint, game games.Entry, err error) {
	switch {
	case len(named) > 0:
		c, err = box.Open(named[0])
	case a.carried != nil:
		c = a.carried
	case name == "":
		err = usagef("a MODEL is missing, or --game")
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

// analyserFor is modelFor with an analyser that searches with the model, in 8 bits if it can, for
// searches of at most b. It also returns the model's name.
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
	cmd.Flags().StringVar(to, "game", "", "the game, whose bot in the box is used where no MODEL is named")
	offer(cmd, "game", aGame)
}

// gameNamed is the game that a user has named.
func gameNamed(name string) (games.Entry, error) {
	game, err := games.ByName(name)
	return game, usage(err)
}

// noHuman is an error if a person is to play where only programs do.
func noHuman(verb, game string, players ...string) error {
	for _, p := range players {
		if p != terminal.Human {
			continue
		}
		if game == "" {
			game = "GAME"
		}
		return usagef("in %s only programs play; a person plays in: %s", verb, command("play", game))
	}
	return nil
}

// extraModels are the models to play with in the browser besides those of runs: the
// carried one, or else the bots in the box.
func (a *app) extraModels() ([]*model.Checkpoint, error) {
	if a.carried != nil {
		return []*model.Checkpoint{a.carried}, nil
	}
	return box.All()
}

// tablesFlag adds --tables to a verb.
func tablesFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "tables", false, "know the endings, in a game with tables of them ("+tabledGames()+"): takes a second before the first move")
}

// tabledGames lists the games that have tables of endings.
func tabledGames() string {
	var names []string
	for _, g := range games.All {
		if g.Tables {
			names = append(names, g.Name)
		}
	}
	return strings.Join(names, ", ")
}

// checkTables is an error if --tables is given for a game without tables of endings.
func checkTables(game games.Entry, tables bool) error {
	if tables && !game.Tables {
		return usagef("--tables: there are no tables of endings for %s", game.Name)
	}
	return nil
}

// gameOf returns the named game or, without a name, the game of the first model among the
// players.
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
	return games.Entry{}, usagef("no player is a model that tells which game is played: say --game")
}
