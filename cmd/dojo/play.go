package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"

	"dojo/engine"
	"dojo/games"
	"dojo/model"
	"dojo/think"

	"github.com/spf13/cobra"
)

func (a *app) playCommand() *cobra.Command {
	var seats [2]string
	var position string
	var seed uint64
	var simulations int
	cmd := &cobra.Command{
		Use:   "play GAME [MODEL]",
		Short: "Play in the terminal",
		Long: `Plays a game on the board in the terminal. Each side is a human or a player as
"dojo match" takes them; without more you are first, and second is MODEL, or a
search with random playouts (mcts:1000) where none is given. MODEL also gives
the hints. Type help at the prompt.`,
		Example: `  dojo play onitama runs/onitama-quick
  dojo play onitama runs/onitama-quick --first runs/onitama-quick --second human
  dojo play tictactoe --second alphabeta:9`,
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			if simulations < 1 {
				return usagef("--simulations %d is less than 1", simulations)
			}
			game, checkpoint, err := a.playing(args)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("seed") {
				seed = rand.Uint64()
			}
			start, err := readPosition(game, position, seed)
			if err != nil {
				return err
			}
			s := &session{
				game:      game,
				positions: []engine.Position{start},
				in:        bufio.NewReader(interruptible(cmd.Context(), a.stdin)),
				out:       a.stdout,
			}
			var options think.Options // without a model: random playouts
			if checkpoint != nil {
				options = think.Model(checkpoint)
			}
			s.thinker = think.New(game.NewSearch, game.Spec, options)
			s.simulations = simulations
			for i, text := range seats {
				if s.seats[i], err = a.seat(game, text, options, simulations); err != nil {
					return err
				}
				if s.seats[i].player != nil {
					s.seats[i].player.NewGame(seed + uint64(i))
				}
			}
			return s.run(cmd.Context())
		},
	}
	cmd.Args = cobra.RangeArgs(1, 2)
	if a.carried != nil {
		cmd.Args = cobra.MaximumNArgs(2)
	}
	cmd.Flags().StringVar(&seats[0], "first", "human", "who plays first: human or a player")
	cmd.Flags().StringVar(&seats[1], "second", "", "who plays second (MODEL, or mcts:1000 without one)")
	cmd.Flags().StringVar(&position, "position", "start", "where to begin, in the game's notation")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "seed of the deal (another each time)")
	cmd.Flags().IntVar(&simulations, "simulations", 400, "root visits of the model's searches")
	return cmd
}

// playing finds the game to play and the model beside it, if there is one:
// the one named, or the carried one.
func (a *app) playing(args []string) (games.Entry, *model.Checkpoint, error) {
	if len(args) == 2 || a.carried != nil && (len(args) == 0 || args[0] == a.carried.Game) {
		c, game, err := a.openModel(args[min(1, len(args)):])
		if err == nil && len(args) > 0 && game.Name != args[0] {
			err = fmt.Errorf("model %s plays %s, not %s", args[1], game.Name, args[0])
		}
		return game, c, err
	}
	game, err := games.ByName(args[0])
	return game, nil, err
}
