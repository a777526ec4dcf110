package cli

import (
	"strings"

	"dojo.example/arena"
	"dojo.example/games"
	"dojo.example/models"

	"github.com/spf13/cobra"
)

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
			c, err := models.Open(path)
			if err != nil {
				return games.Entry{}, err
			}
			return games.ByName(c.Game)
		}
	}
	return games.Entry{}, usagef("no player is a model that tells which game is played: say --game")
}
