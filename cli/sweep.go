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

// sweepOptions holds the flags of sweep.
type sweepOptions struct {
	dir     string
	workers int
	cluster clusterFlags
}

func (a *app) sweepCommand() *cobra.Command {
	var opt sweepOptions
	cmd := arguments{{name: "FILE", offer: aFile}}.of(&cobra.Command{
		Use:   "sweep",
		Short: "Compare settings at equal CPU time",
		Long: `Compare settings by training runs at equal CPU time. FILE lists the arms of the
sweep. Each arm is a preset with some changed settings. Every arm is trained
with several seeds. Then the final models play each other, at equal simulations
and at equal time. The unit of the 95 % intervals is the seed.

  preset: onitama-quick  # the preset that the arms change
  budget: 4m             # CPU time of each run, all cores together
  seeds: 6               # seeds 1 to 6 (default 6)
  simulations: 64        # simulations per move in equal matches (default 64)
  games: 200             # half of a model's games against another arm (200)
  move_time: 5ms         # time per move on one core in timed matches (5ms)
  timed_games: 100       # the same as games, for timed matches (default 100)
  points: 4              # points of each learning curve (default 4)
  reference: mcts:1000   # opponent for the curves (default: first arm, seed 1)
  arms:
    - name: residual
    - name: sparse
      set: [network.kind=sparse, train.optimiser.batch=1024]

The models of all arms play with the same constants of the search, which are the
players of the preset. So an arm with another mcts.cpuct shows the effect of
that value on training. An arm that sets players.cpuct plays with its own value.

The sweep begins with short pilot runs, which measure the CPU time of a
simulation of self-play, a training sample, a game of the gate, and a simulation
of a player. Pilot runs of all kinds of arms take turns, and the lowest cost of
several generations counts (pilot: 4). The number of generations of each arm
follows from these costs. Both are kept in plan.yaml. In timed matches, the
arms' simulations are in the ratio of their measured speeds. So after the pilot
runs, results do not depend on other programs on the machine.

With --listen, workers ("dojo worker") also play games of the runs and matches,
but not of the pilot runs. This does not change the results.

After a stop, the same command continues the sweep. You can add arms and seeds
to FILE later: the command then trains and plays what is missing.

The table shows for each arm the generations of a run, the CPU time used
(computed from the work done and its costs), the Elo difference from the first
arm with a 95 % interval, and the standard deviation from seed to seed (s.d.).`,
		Example: `  dojo sweep kinds.yaml
  dojo sweep kinds.yaml --json > kinds.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.sweep(cmd.Context(), args[0], opt) },
	})
	cmd.Flags().StringVar(&opt.dir, "out", "", "the sweep's folder (default sweeps/FILE without its extension)")
	flags.Workers(cmd.Flags(), &opt.workers, "cores to use (default: all); does not change results")
	flags.Memory(cmd.Flags(), memory.Free)
	opt.cluster.register(cmd)
	opt.cluster.registerVerify(cmd)
	a.jsonFlag(cmd)
	return cmd
}

// sweep starts or continues the sweep that the file at path describes, and prints the report.
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
