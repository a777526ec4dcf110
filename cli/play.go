package cli

import (
	"context"
	"math/rand/v2"
	"os/signal"
	"syscall"

	"dojo.example/arena"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/model"
	"dojo.example/play/terminal"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

func (a *app) playCommand() *cobra.Command {
	var opt terminal.Options
	game := a.modelArgument("GAME")
	game.offer = aGame
	cmd := arguments{game, {name: "MODEL", need: optional, offer: aModel}}.of(&cobra.Command{
		Use:   "play",
		Short: "Play a game in the terminal",
		Long: `Play a game in the terminal. By default you play first and MODEL plays second.
Without MODEL, you play against the built-in bot, or, in a game that has none,
against mcts:1000, a search with random playouts. --first and --second choose
other players: human, or any player of "dojo match". MODEL also gives the hints.

Type "help" at the prompt to see the commands. On a terminal, the arrow keys
bring back earlier lines, and Tab completes actions and commands. In a game that
has tables of endings, all models use them, unless you give --tables=false.`,
		Example: `  dojo play onitama
  dojo play onitama runs/onitama-quick
  dojo play onitama runs/onitama-quick --first runs/onitama-quick --second human
  dojo play tictactoe --second alphabeta:9`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("seed") {
				opt.Seed = rand.Uint64()
			}
			if !cmd.Flags().Changed("position") {
				opt.Position = defaultPosition(cmd)
			}
			tables := cmd.Flags().Changed("tables")
			// Handle SIGQUIT: otherwise it would kill the program with the terminal still in raw
			// mode.
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGQUIT)
			defer stop()
			return a.play(ctx, args, opt, tables)
		},
	})
	cmd.Flags().StringVar(&opt.Seats[0], "first", terminal.Human, "who plays first: human, or a player of dojo match")
	cmd.Flags().StringVar(&opt.Seats[1], "second", "", "who plays second (default: MODEL)")
	for _, side := range []string{"first", "second"} {
		offer(cmd, side, player(func() []string { return []string{terminal.Human} }, arena.Prefixes, runs))
	}
	cmd.Flags().StringVar(&opt.Position, "position", "", `where to begin: a position, "start" (a start position of self-play) or "usual" (default: usual, or start with --seed)`)
	flags.Seed(cmd.Flags(), &opt.Seed, 0, "seed of the deal (default: random)")
	flags.Int(cmd.Flags(), &opt.Simulations, "simulations", 400, 1, mostSimulations, "root visits per search of the model")
	flags.Memory(cmd.Flags(), memory.Some)
	tablesFlag(cmd, &opt.Tables)
	return cmd
}

// play plays a game at the terminal. said reports whether the user gave --tables. If not, models
// use tables of endings if the game has them.
func (a *app) play(ctx context.Context, args []string, opt terminal.Options, said bool) error {
	checkpoint, game, err := a.playing(args)
	if err != nil {
		return err
	}
	if !said {
		opt.Tables = game.Tables
	}
	if err := checkTables(game, opt.Tables); err != nil {
		return err
	}
	if checkpoint != nil { // without a checkpoint, random playouts evaluate positions
		if opt.Model, err = think.Model(checkpoint, model.Best); err != nil {
			return err
		}
	}
	opt.Players = box.Env(game, opt.Simulations, nil)
	s, err := terminal.New(opt)
	if err != nil {
		return err
	}
	return s.Run(ctx, a.stdin, a.stdout)
}

// playing returns the game to play and its model: the named model, or else the carried one, or else
// the game's built-in bot. The model is nil if there is none.
func (a *app) playing(args []string) (c *model.Checkpoint, game games.Entry, err error) {
	if len(args) == 0 {
		return a.modelFor(nil, "")
	}
	if len(args) == 1 && !box.Has(args[0]) && (a.carried == nil || a.carried.Game != args[0]) {
		game, err = gameNamed(args[0])
		return nil, game, err
	}
	return a.modelFor(args[1:], args[0])
}
