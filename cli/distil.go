package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/games/box"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/internal/version"
	"dojo.example/model"
	"dojo.example/train"

	"github.com/spf13/cobra"
)

// distilOptions holds the flags of distil.
type distilOptions struct {
	outputFlags
	train.Distillation        // its field Network holds the sizes of the student
	samples            string // run that supplies the positions; "" for the default
}

func (a *app) distilCommand() *cobra.Command {
	opt, sizes := distilOptions{Distillation: train.DefaultDistillation()}, model.DefaultSparse()
	cmd := arguments{a.modelArgument("TEACHER")}.of(&cobra.Command{
		Use:   "distil",
		Short: "Train a sparse network to imitate another model",
		Long: `Train a sparse network, the student, to imitate the model TEACHER: a checkpoint
of either kind, or the best model of a run. The result is a checkpoint like any
other. With the default sizes it fits into a source file for CodinGame.

The student learns TEACHER's policy and value in positions near those of played
games: from each played position, up to --wander random actions are played. The
games come from the run in --samples, or else from the run that TEACHER belongs
to, if it has samples. Otherwise TEACHER plays games first.

Ctrl-C stops the training, and the same command continues it. The unfinished
student is kept in FILE.partial next to the output. At the end, the command
prints a match that shows how much weaker the student is at equal simulations.`,
		Example: `  dojo distil runs/onitama -o small.safetensors
  dojo distil runs/onitama -o tiny.safetensors --columns 128 --positions 2000000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Network.Body = sizes
			if err := opt.Network.Validate(); err != nil {
				return usagef("sizes of the student: %w", err)
			}
			return a.runDistil(cmd.Context(), args, opt)
		},
	})
	f := cmd.Flags()
	opt.register(cmd, "the checkpoint to write", true)
	flags.Int(f, &sizes.Columns, "columns", sizes.Columns, 1, 1<<16, "width of the student's first layer")
	flags.Int(f, &sizes.Policy, "policy", sizes.Policy, 1, 1<<16, "units of the student's policy layer")
	flags.Int(f, &sizes.Value, "value", sizes.Value, 1, 1<<16, "units of the student's first value layer")
	flags.Int(f, &sizes.Hidden, "hidden", sizes.Hidden, 1, 1<<16, "units of the student's second value layer")
	f.StringVar(&opt.samples, "samples", "", "run whose positions the student learns from (default: TEACHER's run)")
	offer(cmd, "samples", aRun)
	flags.Int(f, &opt.Positions, "positions", opt.Positions, 1, 1_000_000_000, "number of positions to learn from")
	flags.Int(f, &opt.Wander, "wander", opt.Wander, 0, 100, "largest number of random actions after a played position")
	flags.Seed(f, &opt.Seed, opt.Seed, "seed of the student's initial weights and of the positions")
	flags.Workers(f, &opt.Workers, "cores to use (default: all); does not change results")
	flags.Memory(f, memory.Free)
	a.jsonFlag(cmd)
	return cmd
}

// runDistil trains the student, writes it to a file, and prints the command that measures its
// strength.
func (a *app) runDistil(ctx context.Context, args []string, opt distilOptions) error {
	teacher, game, err := a.modelFor(args, "")
	if err != nil {
		return err
	}
	if err := opt.Network.CheckGame(game.Spec); err != nil {
		return err
	}
	target, err := opt.open(ctx, a)
	if err != nil {
		return err
	}
	d := opt.Distillation
	d.Network = opt.Network.For(game.Spec)
	if info, err := os.Stat(opt.out); err != nil || info.Mode().IsRegular() { // if the output is a device, there is no state file next to it
		d.State = opt.out + ".partial"
	}
	named := strings.Join(args, "") // args has at most one element
	d.Teacher, d.Game = teacher, game.Game.Game
	student, err := a.distil(ctx, d, cmp.Or(rundir.Folder(opt.samples), box.RunOf(named)), opt.samples != "")
	if err != nil {
		return err
	}
	if err := target.Write(ctx, student.Encode); err != nil {
		return a.goesOn(err, d.State)
	}
	if err := d.Forget(); err != nil {
		return err
	}
	text := fmt.Sprintf("%s  %s\n  %s\nto compare it with its teacher: %s\n", opt.out, student.Sizes(), student.Origin,
		command("match", opt.out+":64", cmp.Or(named, box.BoxPrefix+game.Name)+":64"))
	return a.found(text, distilled{opt.out, game.Name, student.Hash(), student.Origin, student.Step})
}

// distilled describes a student in JSON.
type distilled struct {
	File   string `json:"file"`
	Game   string `json:"game"`
	Hash   string `json:"hash"`
	Origin string `json:"origin"`
	Steps  int    `json:"steps"`
}

// distil trains a student on positions from the run in the folder from. If must is set, it fails if
// that run has no positions.
func (a *app) distil(ctx context.Context, d train.Distillation, from rundir.Folder, must bool) (*model.Checkpoint, error) {
	d.Version = version.String()
	if err := d.FindRoots(ctx, from, must); err != nil {
		return nil, fmt.Errorf("positions to learn from: %w", err)
	}
	var progress *console.Bar
	d.Progress = func(done, total int, note string) {
		if progress == nil {
			progress = console.NewBar(a.stderr, total, "distil")
		}
		progress.Set(done, note)
	}
	student, err := d.Run(ctx)
	progress.Clear()
	switch {
	case atomicfile.DiskFull(err): // goes first: after an interrupt, the disk can also be full
		err = a.goesOn(err, d.State)
	case errors.Is(err, context.Canceled):
		err = a.goesOn(context.Canceled, d.State)
	}
	return student, err
}

// goesOn adds to err the command that continues the distillation from the state file, if that file
// exists.
func (a *app) goesOn(err error, state string) error {
	if _, missing := os.Stat(state); missing != nil {
		return err
	}
	room := ""
	if atomicfile.DiskFull(err) {
		room = "free some disk space; "
	}
	return fmt.Errorf("%w; %sthe same command continues from %s: %s", err, room, state, command(a.args...))
}
