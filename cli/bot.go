package cli

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/model"
	"dojo.example/play/bot"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

// botOptions holds the flags of bot.
type botOptions struct {
	game        string // game of the built-in bot to use if no MODEL is named
	protocol    string
	simulations int
	moveTime    time.Duration // time limit of a search; 0 for none
	firstTime   time.Duration // time limit for the first action; 0 for the default, see budgets
	tables      bool
}

// budgets returns the budget of the first search and of each later search. Without
// --first-movetime, the first search gets 80 % of the protocol's time for the first answer, or
// moveTime if that is longer. The other 20 % are reserved for starting the program.
func (o *botOptions) budgets(protocol engine.Protocol) (first, later think.Budget) {
	if o.moveTime == 0 {
		b := think.Budget{Visits: o.simulations}
		return b, b
	}
	most := time.Duration(protocol.FirstTurn) * time.Millisecond * 4 / 5
	return think.Budget{Time: cmp.Or(o.firstTime, max(o.moveTime, most))}, think.Budget{Time: o.moveTime}
}

// shareOf returns the thinking time per answer: 84 % of the time that the protocol allows, for
// example 42 of 50 ms. The rest is reserved for input and output, and for delays on the referee's
// machine.
func shareOf(protocol engine.Protocol) time.Duration {
	return time.Duration(protocol.TurnTime()) * time.Millisecond * 84 / 100
}

func (a *app) botCommand() *cobra.Command {
	var opt botOptions
	cmd := arguments{{name: "MODEL", need: optional, offer: aModel}}.of(&cobra.Command{
		Use:   "bot",
		Short: "Answer positions on stdin with actions on stdout",
		Long: `Answer positions on stdin with actions on stdout, one action for each position.
Nothing else is written to stdout. MODEL is a checkpoint, or a run, whose best
model plays. Without MODEL, the built-in bot of --game plays.

With the protocol "text", each position is a line in the game's notation. A game
may have other protocols; "dojo rules list" shows them. Without --simulations
and --movetime, the bot uses most of the protocol's time for an answer, for
example 42 ms of CodinGame's 50 ms.

With --tables, the first answer takes one second longer than its time. That is
too long for the first turn on CodinGame.`,
		Example: `  dojo bot runs/onitama-quick --protocol codingame --movetime 42ms
  echo "x...o...." | dojo bot --game tictactoe --simulations 100`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.firstTime > 0 && opt.moveTime == 0 {
				return usagef("--first-movetime needs --movetime, the time for all later actions")
			}
			checkpoint, game, err := a.modelFor(args, opt.game)
			if err != nil {
				return err
			}
			if err := checkTables(game, opt.tables); err != nil {
				return err
			}
			player, err := think.Model(checkpoint, model.Best)
			if err != nil {
				return err
			}
			if opt.tables {
				player = player.WithTables()
			}
			protocol, err := game.Protocol(opt.protocol)
			if err != nil {
				return usage(err)
			}
			ctx := cmd.Context()
			if !cmd.Flags().Changed("simulations") && !cmd.Flags().Changed("movetime") && protocol.Turn > 0 {
				opt.moveTime = shareOf(protocol)
			}
			if console.IsTerminal(a.stdin) {
				fmt.Fprintf(a.stderr, "waiting for positions of %s on stdin, in the protocol %s; to play against the bot yourself: %s\n", game.Name, opt.protocol, command("play", game.Name))
			}
			first, later := opt.budgets(protocol)
			// Without this limit, a search limited only by time could grow its tree without bound.
			player.Search.Memory = int64(memory.ForTrees())
			if first.Visits > 0 {
				player.Search.Memory = 0
				if err := memory.Check(game.Bytes(player.Search, first.Visits, true), "%d simulations of %s", first.Visits, game.Name); err != nil {
					return err
				}
			}
			return bot.Answer(ctx, think.New(game.Game, player), protocol, bounded.Lines(console.Interruptible(ctx, a.stdin)), a.stdout, first, later)
		},
	})
	gameFlag(cmd, &opt.game)
	cmd.Flags().StringVar(&opt.protocol, "protocol", "text", "protocol of stdin and stdout: text, or another one that dojo rules list shows")
	offer(cmd, "protocol", offering(cobra.ShellCompDirectiveNoFileComp, protocolNames))
	flags.Int(cmd.Flags(), &opt.simulations, "simulations", 200, 1, mostSimulations, "root visits per search, if the protocol sets no time for an answer")
	flags.Time(cmd.Flags(), &opt.moveTime, "movetime", 0, "time for each action instead of --simulations, e.g. 42ms")
	flags.Time(cmd.Flags(), &opt.firstTime, "first-movetime", 0, "time for the first action (default: 80 % of the protocol's time for it, but at least --movetime)")
	flags.Memory(cmd.Flags(), memory.Some)
	tablesFlag(cmd, &opt.tables)
	flags.Exclude(cmd, "simulations", "movetime")
	return cmd
}

// protocolNames returns the names of the protocols of all games.
func protocolNames() (names []string) {
	for _, g := range games.All {
		names = append(names, g.ProtocolNames()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
