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

// tuneOptions is what the command line tells tune.
type tuneOptions struct {
	matchOptions
	constants  []string // NAME or NAME=START
	iterations int
	time       time.Duration // of a move; 0: simulations
	out        string
}

func (a *app) tuneCommand() *cobra.Command {
	var opt tuneOptions
	cmd := arguments{{name: "MODEL|RUN", offer: aModel}}.of(&cobra.Command{
		Use:   "tune",
		Short: "Better constants of the search, by matches against itself",
		Long: `Looks for better constants of a model's search at a given budget: each iteration
moves all of them a little in random directions, plays games between the two
opposite displacements and learns from the score (SPSA, Spall 1992). The result
is the mean over the second half of the iterations. What was played is kept in
the file --output; the same command goes on after a stop. Without --openings,
openings are long enough for different ones in all iterations.

The constants are ` + strings.Join(mcts.Tunable, ", ") + `;
NAME=VALUE begins elsewhere than at the model's own. Compare the result with
where it began by "dojo match", with fresh seeds. MODEL#cpuct=2 is the model
with that constant, for "dojo export" too. A preset has them under
players, and each model that its run trains keeps them.`,
		Example: `  dojo tune runs/onitama-quick -o cpuct.jsonl
  dojo tune box:onitama --constants cpuct=6,fpu_reduction --simulations 400 -o box.jsonl
  dojo tune box:onitama --time 42ms --iterations 2000 -o 42ms.jsonl
  dojo export box:onitama#cpuct=1.3 --as codingame-cpp -o bot.cpp`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.tune(cmd.Context(), args[0], opt) },
	})
	opt.flags(cmd, 16, 64)
	cmd.Flags().Lookup("games").Usage = "games of an iteration, an even number"
	cmd.Flags().StringSliceVar(&opt.constants, "constants", mcts.Tunable, "what is tuned")
	flags.Int(cmd.Flags(), &opt.iterations, "iterations", 500, 2, 1_000_000, "how many are played")
	flags.Time(cmd.Flags(), &opt.time, "time", 0, "time of a move, instead of --simulations")
	cmd.Flags().StringVarP(&opt.out, "output", "o", "", "the file of the iterations")
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
