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

// botOptions is what the command line tells a bot.
type botOptions struct {
	game        string // where no MODEL says which
	protocol    string
	simulations int
	moveTime    time.Duration // 0: only simulations
	firstTime   time.Duration // 0: what the protocol gives, or as moveTime
	tables      bool
}

// budgets are what the first search may use and what the later ones may. Without --first-movetime
// the first one uses most of what the protocol gives it; the rest is for the start.
func (o *botOptions) budgets(protocol engine.Protocol) (first, later think.Budget) {
	if o.moveTime == 0 {
		b := think.Budget{Visits: o.simulations}
		return b, b
	}
	most := time.Duration(protocol.FirstTurn) * time.Millisecond * 4 / 5
	return think.Budget{Time: cmp.Or(o.firstTime, max(o.moveTime, most))}, think.Budget{Time: o.moveTime}
}

// shareOf is the time to think for an answer: 84 % of what the protocol gives, 42 of 50 ms. The rest
// is for reading and writing, and for what else happens on the referee's machine.
func shareOf(protocol engine.Protocol) time.Duration {
	return time.Duration(protocol.TurnTime()) * time.Millisecond * 84 / 100
}

func (a *app) botCommand() *cobra.Command {
	var opt botOptions
	cmd := arguments{{name: "MODEL", need: optional, offer: aModel}}.of(&cobra.Command{
		Use:   "bot",
		Short: "Answer positions on stdin with actions on stdout",
		Long: `Reads one position after another from stdin and answers each with one action on
stdout, where nothing else is written. The protocol "text" is a position line
each, in the game's notation; games may have others. MODEL is a checkpoint, or a
run, whose best model is taken, or without one the bot in the box of --game.
Without --simulations and --movetime, a protocol that has a time for each answer
gets most of it: 42 ms of CodinGame's 50 ms.

With --tables the first answer takes a second more than its time, which is too
long for the first turn on CodinGame.`,
		Example: `  dojo bot runs/onitama-quick --protocol codingame --movetime 42ms
  echo "x...o...." | dojo bot --game tictactoe --simulations 100`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.firstTime > 0 && opt.moveTime == 0 {
				return usagef("--first-movetime needs --movetime for the actions after the first")
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
				fmt.Fprintf(a.stderr, "waiting for positions of %s, as the protocol %s writes them; to play against it: %s\n", game.Name, opt.protocol, command("play", game.Name))
			}
			first, later := opt.budgets(protocol)
			player.Search.Memory = int64(memory.ForTrees()) // of a search that only time limits
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
	cmd.Flags().StringVar(&opt.protocol, "protocol", "text", "how positions come and actions go: text, or one that rules list shows")
	offer(cmd, "protocol", offering(cobra.ShellCompDirectiveNoFileComp, protocolNames))
	flags.Int(cmd.Flags(), &opt.simulations, "simulations", 200, 1, mostSimulations, "root visits of a search, where the protocol has no time for an answer")
	flags.Time(cmd.Flags(), &opt.moveTime, "movetime", 0, "time for an action instead, such as 42ms")
	flags.Time(cmd.Flags(), &opt.firstTime, "first-movetime", 0, "time for the first action (most of what the protocol gives, else as --movetime)")
	flags.Memory(cmd.Flags(), memory.Some)
	tablesFlag(cmd, &opt.tables)
	flags.Exclude(cmd, "simulations", "movetime")
	return cmd
}

// protocolNames are the protocols of any game.
func protocolNames() (names []string) {
	for _, g := range games.All {
		names = append(names, g.ProtocolNames()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
