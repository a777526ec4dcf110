package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dojo.example/cli/measure"
	"dojo.example/cli/tune"
	"dojo.example/internal/flags"
	"dojo.example/search/mcts"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

// tuneOptions holds the flags of tune.
type tuneOptions struct {
	matchOptions
	constants  []string // in the form NAME or NAME=START
	iterations int
	time       time.Duration // time limit per move; 0 for none
	out        string
}

func (a *app) tuneCommand() *cobra.Command {
	var opt tuneOptions
	cmd := arguments{{name: "MODEL|RUN", offer: aModel}}.of(&cobra.Command{
		Use:   "tune",
		Short: "Find better constants of a model's search",
		Long: `Find better constants of a model's search by letting the model play itself.
Each iteration moves all constants a little in random directions, and plays
games between this displacement and the opposite one. The score tells in which
direction to go on (SPSA, Spall 1992). The result is the mean over the second
half of the iterations. All iterations are kept in the file --output; after a
stop, the same command continues. Without --openings, the openings are so long
that all iterations can have different ones.

The constants are ` + strings.Join(mcts.Tunable, ", ") + `.
NAME=VALUE sets where to begin, instead of the model's own value. At the end,
compare the result with the start by "dojo match", with new seeds; the command
prints how.

To use the result, name the model with its constants, such as MODEL#cpuct=2, in
any command that takes a player, or in "dojo export". In a preset, the constants
are under players, and all models of its runs keep them.`,
		Example: `  dojo tune runs/onitama-quick -o cpuct.jsonl
  dojo tune box:onitama --constants cpuct=6,fpu_reduction --simulations 400 -o box.jsonl
  dojo tune box:onitama --time 42ms --iterations 2000 -o 42ms.jsonl
  dojo export box:onitama#cpuct=1.3 --as codingame-cpp -o bot.cpp`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.tune(cmd.Context(), args[0], opt) },
	})
	opt.flags(cmd, 16, 64)
	cmd.Flags().Lookup("games").Usage = "number of games per iteration; even"
	cmd.Flags().StringSliceVar(&opt.constants, "constants", mcts.Tunable, "the constants to tune, NAME or NAME=START")
	flags.Int(cmd.Flags(), &opt.iterations, "iterations", 500, 2, 1_000_000, "number of iterations")
	flags.Time(cmd.Flags(), &opt.time, "time", 0, "time per move, instead of --simulations")
	cmd.Flags().StringVarP(&opt.out, "output", "o", "", "the file that keeps the iterations")
	flags.Require(cmd, "output")
	opt.cluster.register(cmd)
	flags.Exclude(cmd, "time", "simulations", "listen", "nats")
	a.jsonFlag(cmd)
	return cmd
}

// tune tunes the constants of a model's search.
func (a *app) tune(ctx context.Context, name string, opt tuneOptions) (err error) {
	c, game, err := a.modelFor([]string{name}, "")
	if err != nil {
		return err
	}
	own, err := think.Constants(c.Meta)
	if err != nil {
		return err
	}
	constants, err := measure.Tuned(own, opt.constants)
	if err != nil {
		return usageError{fmt.Errorf("--constants: %w", err)}
	}
	opt.Game = game.Game.Game
	t := measure.Tuning{
		Options: opt.Options, Remarks: a.stderr, Entry: game, Model: c, File: opt.out,
		Plan: tune.Plan{
			Player: name, Model: c.Hash(), Budget: fmt.Sprintf(":%d", opt.simulations), Openings: opt.OpeningPlies, Games: opt.Games,
			Iterations: opt.iterations, Seed: opt.Seed, Constants: constants,
		},
	}
	if opt.time > 0 {
		t.Plan.Budget = "@" + opt.time.String()
	}
	leave, err := opt.cluster.helped(ctx, a, &t.Options)
	if err != nil {
		return err
	}
	report, err := t.Run(ctx)
	leave(err == nil)
	return a.print(report, unfinished(ctx, err, a.args))
}
