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

// distilOptions is what the command line tells distil.
type distilOptions struct {
	outputFlags
	train.Distillation        // Network has the sizes of the student
	samples            string // a run
}

func (a *app) distilCommand() *cobra.Command {
	opt, sizes := distilOptions{Distillation: train.DefaultDistillation()}, model.DefaultSparse()
	cmd := arguments{a.modelArgument("TEACHER")}.of(&cobra.Command{
		Use:   "distil",
		Short: "Train a network to answer as another does",
		Long: `Trains a sparse network, the student, to answer as TEACHER does: a
checkpoint of either kind, or the best model of a run. The student learns
TEACHER's policy and value in positions some random actions off the games of a
run: TEACHER's own, if it lies in one with samples, or that of --samples; else
TEACHER first plays games. The result is a checkpoint like any other.

Ctrl-C stops the training, and the same command goes on; what is unfinished is
kept beside the output in FILE.partial. What was lost, a match says: the command
that is printed at the end, and the same at equal time.`,
		Example: `  dojo distil runs/onitama -o small.safetensors
  dojo distil runs/onitama -o tiny.safetensors --columns 128 --positions 2000000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Network.Body = sizes
			if err := opt.Network.Validate(); err != nil {
				return usagef("the student: %w", err)
			}
			return a.runDistil(cmd.Context(), args, opt)
		},
	})
	f := cmd.Flags()
	opt.register(cmd, "the checkpoint to write", true)
	flags.Int(f, &sizes.Columns, "columns", sizes.Columns, 1, 1<<16, "numbers in the student's first layer")
	flags.Int(f, &sizes.Policy, "policy", sizes.Policy, 1, 1<<16, "units of its policy")
	flags.Int(f, &sizes.Value, "value", sizes.Value, 1, 1<<16, "units of its value")
	flags.Int(f, &sizes.Hidden, "hidden", sizes.Hidden, 1, 1<<16, "units of its value's second layer")
	f.StringVar(&opt.samples, "samples", "", "the run whose positions are learnt from (TEACHER's)")
	offer(cmd, "samples", aRun)
	flags.Int(f, &opt.Positions, "positions", opt.Positions, 1, 1_000_000_000, "positions to learn from, each drawn anew")
	flags.Int(f, &opt.Wander, "wander", opt.Wander, 0, 100, "the most random actions between a played position and one to learn from")
	flags.Seed(f, &opt.Seed, opt.Seed, "seed of the student's first weights and of the positions")
	flags.Workers(f, &opt.Workers, "cores to use (default: all); changes no result")
	flags.Memory(f, memory.Free)
	a.jsonFlag(cmd)
	return cmd
}

// runDistil trains the student, writes it and measures it.
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
	if info, err := os.Stat(opt.out); err != nil || info.Mode().IsRegular() { // no device
		d.State = opt.out + ".partial"
	}
	named := strings.Join(args, "") // there is one at most
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
	text := fmt.Sprintf("%s  %s\n  %s\nto see what was lost: %s\n", opt.out, student.Sizes(), student.Origin,
		command("match", opt.out+":64", cmp.Or(named, box.BoxPrefix+game.Name)+":64"))
	return a.found(text, distilled{opt.out, game.Name, student.Hash(), student.Origin, student.Step})
}

// distilled is what distil prints of a student as JSON.
type distilled struct {
	File   string `json:"file"`
	Game   string `json:"game"`
	Hash   string `json:"hash"`
	Origin string `json:"origin"`
	Steps  int    `json:"steps"`
}

// distil runs a distillation on positions of a run, which must have some if must is set.
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
	case atomicfile.DiskFull(err): // perhaps after an interrupt
		err = a.goesOn(err, d.State)
	case errors.Is(err, context.Canceled):
		err = a.goesOn(context.Canceled, d.State)
	}
	return student, err
}

// goesOn adds to an error that what was learnt until then is not lost, if it is kept.
func (a *app) goesOn(err error, state string) error {
	if _, missing := os.Stat(state); missing != nil {
		return err
	}
	room := ""
	if atomicfile.DiskFull(err) {
		room = "make room: "
	}
	return fmt.Errorf("%w; %sthe same command goes on from %s: %s", err, room, state, command(a.args...))
}
