package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"dojo.example/cli/measure"
	"dojo.example/cli/sweep"
	"dojo.example/cluster/hub"
	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/internal/version"

	"github.com/spf13/cobra"
)

// sweepOptions is what the command line tells sweep.
type sweepOptions struct {
	dir     string
	workers int
	cluster clusterFlags
}

func (a *app) sweepCommand() *cobra.Command {
	var opt sweepOptions
	cmd := arguments{{name: "FILE", offer: aFile}}.of(&cobra.Command{
		Use:   "sweep",
		Short: "Settings against settings at equal CPU time",
		Long: `Runs every arm of a YAML file, a preset with changed settings, with several
seeds for the same CPU time, and plays the final models against each other at
equal simulations and at equal time. The unit of its intervals is the seed.

  preset: onitama-quick  # what the arms start from
  budget: 4m             # CPU time of a run, all cores together
  seeds: 6               # seeds 1 to 6 (default 6)
  simulations: 64        # of a move, where they are equal (64)
  games: 200             # of each match at equal simulations (200)
  move_time: 5ms         # of a move on one core, where time is equal (5ms)
  timed_games: 100       # of each match at equal time (100)
  points: 4              # of learning curves, equal parts of the budget (4)
  reference: mcts:1000   # whom they play (default: the first arm's seed 1)
  arms:
    - name: residual
    - name: sparse
      set: [network.kind=sparse, train.optimiser.batch=1024]

The models of all arms play with the same constants of the search, players of
the preset, so that an arm with another mcts.cpuct shows what that one teaches;
an arm that sets players.cpuct plays with its own.

First, short pilots measure the CPU time of a simulation of self-play, a sample
of training, a game of the gate and a simulation of a player, all kinds of arms
in turn, and the least of some generations counts ("pilot: 4"). The number of
generations of each arm follows, and is kept with the costs in plan.yaml. Equal
time means simulations in the ratio of these speeds. So results do not depend
on what else the machine does.

With --listen, workers ("dojo worker") play games of the runs and of the
matches too, but not of the pilots: from the plan on nothing depends on time, so
that the results are the same.

A sweep that was stopped goes on with the same command. More arms or seeds in
the file are added to what the folder has.

Columns: generations of a run; CPU time used, by units of work and their costs;
Elo above the first arm with its 95 % interval; s.d., the standard deviation
from seed to seed.`,
		Example: `  dojo sweep kinds.yaml
  dojo sweep kinds.yaml --json > kinds.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.sweep(cmd.Context(), args[0], opt) },
	})
	cmd.Flags().StringVar(&opt.dir, "out", "", "the sweep's folder (default sweeps/FILE)")
	flags.Workers(cmd.Flags(), &opt.workers, "cores to use (default: all); changes no result")
	flags.Memory(cmd.Flags(), memory.Free)
	opt.cluster.register(cmd)
	opt.cluster.registerVerify(cmd)
	a.jsonFlag(cmd)
	return cmd
}

// sweep does what is missing of the sweep of a file, and shows what came out.
func (a *app) sweep(ctx context.Context, path string, opt sweepOptions) (err error) {
	file, err := sweep.Read(path)
	if err != nil {
		return err
	}
	if file.Reference != "" {
		if err := opt.cluster.portable(file.Reference); err != nil {
			return err
		}
	}
	if opt.dir == "" {
		base := filepath.Base(path)
		opt.dir = filepath.Join("sweeps", strings.TrimSuffix(base, filepath.Ext(base)))
	}
	if err := rundir.RefuseFolder(opt.dir); err != nil {
		return fmt.Errorf("--out %w", err)
	}
	c, err := file.Config()
	if err != nil {
		return err
	}
	text, err := configs.Frozen{Name: "sweep", Config: c}.Text()
	if err != nil {
		return err
	}
	hub, err := opt.cluster.hub(ctx, a, hub.Options{Name: "sweep " + filepath.Base(opt.dir), Config: string(text), Dir: filepath.Join(opt.dir, "cluster")})
	if err != nil {
		return err
	}
	report, err := measure.Sweep(ctx, a.stderr, hub, sweep.Options{
		File: file, Dir: opt.dir, Program: version.String(), Workers: opt.workers,
	})
	hub.Close(err == nil)
	return a.print(report, unfinished(ctx, err, a.args))
}
