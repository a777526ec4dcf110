package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"dojo.example/analysis"
	"dojo.example/internal/regular"
	"dojo.example/play"
	"dojo.example/play/terminal"
	"dojo.example/think"

	"github.com/spf13/cobra"
)

func (a *app) reviewCommand() *cobra.Command {
	var opt analyseOptions
	cmd := &cobra.Command{
		Use:   "review RECORD [MODEL]",
		Short: "The mistakes of a game",
		Long: `Reads a game as "dojo play" saves it, searches each of its positions, and prints
its actions, the bad ones marked. The loss of an action is the value of the best
one less that of the position after it, for the player who moved: from 0.1 on it
is an inaccuracy (?!), from 0.2 on a mistake (?), from 0.3 on a blunder (??).
Other values are those of the first player, from -1 to 1. A loss with an
exclamation mark is exact, for it is proven how the game would end; a loss of 2
is a win thrown away. Without MODEL the bot in the box of the record's game
searches.`,
		Example: `  dojo review game.txt runs/onitama-quick
  dojo review game.txt runs/onitama-quick --simulations 5000 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := opt.budget()
			if err != nil {
				return err
			}
			return a.review(cmd.Context(), args[0], args[1:], b, opt)
		},
	}
	opt.flags(a, cmd)
	return cmd
}

// review reviews the game in a file.
func (a *app) review(ctx context.Context, path string, named []string, b think.Budget, opt analyseOptions) error {
	text, err := regular.Read(path, play.MaxBytes)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	name := cmp.Or(opt.game, play.GameOf(string(text)))
	if name == "" && len(named) == 0 {
		return usagef("record %s does not name its game: a MODEL is missing, or --game", path)
	}
	c, game, err := a.modelFor(named, name)
	if err != nil {
		return err
	}
	record, err := play.Read(game.Game.Game, string(text))
	if err == nil && len(record.Actions) == 0 {
		err = errors.New("nothing is played in it")
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", path, err)
	}
	x, err := newAnalyser(c, game, analysis.Options{Workers: opt.workers})
	if err != nil {
		return err
	}
	return terminal.Review(ctx, a.output(), x, record, b, fmt.Sprintf("%s, %d actions, reviewed by model %s", game.Name, len(record.Actions), c.Name))
}
