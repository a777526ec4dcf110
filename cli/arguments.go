package cli

import (
	"errors"
	"regexp"
	"strings"

	"dojo.example/arena"
	"dojo.example/cli/bench"
	"dojo.example/configs"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/internal/flags"
	"dojo.example/model"
	"dojo.example/play/terminal"

	"github.com/spf13/cobra"
)

// checkArguments has every verb below root check the number of its arguments by its
// line of usage, unless it has a check of its own. A program that carries a model need
// not be told one.
func (a *app) checkArguments(root *cobra.Command) {
	if a.carried != nil {
		root.Use = carriedModels.ReplaceAllString(root.Use, "[$0]")
	}
	if root.Args == nil && (!root.HasSubCommands() || root.RunE != nil && a.carried != nil) {
		root.Args = flags.Positional
	}
	for _, cmd := range root.Commands() {
		a.checkArguments(cmd)
	}
}

// carriedModels are the arguments that a program which carries a model need not be told.
var carriedModels = regexp.MustCompile(`\b(MODEL\|RUN|MODEL|TEACHER|GAME \[MODEL\])$`)

// exclude says that a flag and each of the others exclude one another.
func exclude(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other)
	}
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

// misspelt reports whether an error is about a word that the command line should not
// have: exit status 2 and not 1.
func misspelt(err error) bool {
	return errors.As(err, new(usageError)) || errors.As(err, new(arena.NameError)) || errors.As(err, new(configs.NameError)) || errors.As(err, new(bench.NameError))
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
