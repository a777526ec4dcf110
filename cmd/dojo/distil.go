package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"dojo/games"
	"dojo/internal/atomicfile"
	"dojo/internal/console"
	"dojo/internal/flags"
	"dojo/internal/output"
	"dojo/internal/version"
	"dojo/measure"
	"dojo/model"
	"dojo/run"
	"dojo/train"

	"github.com/spf13/cobra"
)

// distilOptions is what the command line tells distil.
type distilOptions struct {
	out   string
	force bool
	json  bool

	network   model.Network // kind and sizes of the student
	samples   string        // a run
	positions int
	wander    int
	seed      uint64
	workers   int

	games, simulations int // of the matches against the teacher
	moveTime           time.Duration
}

// sizesOf are the flags that only one kind of student has.
var sizesOf = map[model.NetworkKind][]string{
	model.Sparse:   {"columns", "policy", "value", "hidden"},
	model.Residual: {"channels", "blocks"},
}

func (a *app) distilCommand() *cobra.Command {
	opt := distilOptions{network: model.DefaultNetwork()}
	opt.network.Kind = model.Sparse
	cmd := &cobra.Command{
		Use:   "distil TEACHER",
		Short: "Train a network to answer as another does",
		Long: `Trains a network of either kind, the student, to answer as TEACHER does: a
checkpoint of either kind, or the best model of a run. The student learns
TEACHER's policy and value in positions some random actions off the games of a
run: TEACHER's own, if it lies in one with samples, or that of --samples; else
TEACHER first plays games. The result is a checkpoint like any other.

Ctrl-C stops the training, and the same command goes on; what is unfinished is
kept beside the output in FILE.partial. At the end the student plays two matches
against TEACHER, at equal simulations and at equal time, which say what was lost
in Elo, with 95 % intervals.`,
		Example: `  dojo distil runs/onitama -o small.safetensors
  dojo distil runs/onitama -o tiny.safetensors --columns 128 --positions 2000000
  dojo distil small.safetensors --kind residual --channels 32 -o back.safetensors`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opt.check(cmd); err != nil {
				return err
			}
			return a.runDistil(cmd.Context(), args, opt)
		},
	}
	d := train.DefaultDistillation(model.Sparse)
	f, n := cmd.Flags(), &opt.network
	f.StringVarP(&opt.out, "output", "o", "", "the checkpoint to write")
	f.BoolVar(&opt.force, "force", false, "replace what is at --output without asking")
	f.StringVar((*string)(&n.Kind), "kind", string(n.Kind), "kind of the student: sparse or residual")
	f.IntVar(&n.Sparse.Columns, "columns", n.Sparse.Columns, "of a sparse student: numbers in its first layer")
	f.IntVar(&n.Sparse.Policy, "policy", n.Sparse.Policy, "of a sparse student: units of the policy")
	f.IntVar(&n.Sparse.Value, "value", n.Sparse.Value, "of a sparse student: units of the value")
	f.IntVar(&n.Sparse.Hidden, "hidden", n.Sparse.Hidden, "of a sparse student: units of the value's second layer")
	f.IntVar(&n.Channels, "channels", n.Channels, "of a residual student")
	f.IntVar(&n.Blocks, "blocks", n.Blocks, "of a residual student")
	f.StringVar(&opt.samples, "samples", "", "the run whose positions are learnt from (TEACHER's)")
	f.IntVar(&opt.positions, "positions", d.Positions, "positions to learn from, each drawn anew")
	f.IntVar(&opt.wander, "wander", d.Wander, "the most random actions between a played position and one to learn from")
	f.Uint64Var(&opt.seed, "seed", d.Seed, "seed of the student's first weights, of the positions and of the matches")
	f.IntVar(&opt.workers, "workers", 0, "cores to use (default: all); changes no result but the match at equal time")
	f.IntVar(&opt.games, "games", 100, "games of each match against TEACHER, an even number; 0: no matches")
	f.IntVar(&opt.simulations, "simulations", 64, "root visits of both in the first match")
	flags.Time(f, &opt.moveTime, "movetime", 20*time.Millisecond, "time of both for an action in the second match")
	jsonFlag(cmd, &opt.json)
	return cmd
}

// mostLearnt is the largest number of positions to learn from.
const mostLearnt = 1_000_000_000

// check reports values that make no sense, and fills in what was left open.
func (o *distilOptions) check(cmd *cobra.Command) (err error) {
	if o.out == "" {
		return usagef("-o FILE is missing")
	}
	for kind, flags := range sizesOf {
		for _, flag := range flags {
			if kind != o.network.Kind && cmd.Flags().Changed(flag) {
				return usagef("--%s is for --kind %s", flag, kind)
			}
		}
	}
	if err := o.network.Validate(); err != nil {
		return usagef("the student: %w", err)
	}
	if o.games%2 != 0 {
		return usagef("--games %d is odd: every opening is played twice", o.games)
	}
	o.workers, err = checkWorkers(o.workers)
	return cmp.Or(err,
		inRange("--positions", o.positions, 1, mostLearnt),
		inRange("--wander", o.wander, 0, 100),
		inRange("--games", o.games, 0, mostGames),
		inRange("--simulations", o.simulations, 1, mostSimulations),
	)
}

// runDistil trains the student, writes it and measures it.
func (a *app) runDistil(ctx context.Context, args []string, opt distilOptions) error {
	teacher, game, err := a.openModel(args)
	if err != nil {
		return err
	}
	if err := opt.network.CheckGame(game.Spec); err != nil {
		return err
	}
	target, err := output.Open(opt.out, a.replacing(ctx, opt.force))
	if err != nil {
		return err
	}
	d := train.DefaultDistillation(opt.network.Kind)
	d.Network, d.Positions, d.Wander, d.Seed, d.Workers = opt.network.For(game.Spec), opt.positions, opt.wander, opt.seed, opt.workers
	if info, err := os.Stat(opt.out); err != nil || info.Mode().IsRegular() { // no device
		d.State = opt.out + ".partial"
	}
	named := ""
	if len(args) > 0 {
		named = args[0]
	}
	student, err := a.distil(ctx, d, teacher, game, samplesOf(opt.samples, named))
	if err != nil {
		return err
	}
	if err := target.Write(ctx, student.Encode); err != nil {
		return a.goesOn(err, d.State)
	}
	if err := forget(d.State); err != nil {
		return err
	}
	return measure.Student(ctx, a.output(opt.json), measure.Lesson{
		Settings: measure.Settings{Games: opt.games, Openings: 2, Simulations: opt.simulations, Workers: opt.workers, Seed: opt.seed},
		Game:     game, Student: student, Teacher: teacher, File: opt.out, Named: cmp.Or(named, "box"), MoveTime: opt.moveTime,
	})
}

// lessonSource is where the positions come from that a student learns from.
type lessonSource struct {
	folder run.Folder
	named  bool // by the user
}

// samplesOf is the run that --samples names, or else that of a model.
func samplesOf(samples, model string) lessonSource {
	if samples != "" {
		return lessonSource{run.Folder(samples), true}
	}
	return lessonSource{runOf(model), false}
}

// distil completes a distillation and runs it.
func (a *app) distil(ctx context.Context, d train.Distillation, teacher *model.Checkpoint, game games.Entry, from lessonSource) (*model.Checkpoint, error) {
	d.Teacher, d.Game, d.Version = teacher, game.Game.Game, version.String()
	var err error
	if d.Roots, err = a.roots(ctx, d, from); err != nil {
		return nil, fmt.Errorf("positions to learn from: %w", err)
	}
	var progress *console.Bar
	d.Progress = func(stage string, total int) func(int, string) {
		progress = console.NewBar(a.stderr, total, stage)
		return progress.Set
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

// roots are the positions of a run, or of games that the teacher plays where there
// are none.
func (a *app) roots(ctx context.Context, d train.Distillation, from lessonSource) (train.Roots, error) {
	const fromRun, played = 250_000, 50_000
	if from.folder != "" {
		shards, err := from.folder.Shards()
		if err != nil {
			return train.Roots{}, err
		}
		if from.named || len(shards) > 0 {
			return train.RunRoots(ctx, from.folder, d.Game, fromRun)
		}
	}
	return train.PlayedRoots(ctx, d.Teacher, d.Game, min(played, d.Positions), d.Seed, d.Workers)
}

// forget removes the file of a state, if there is one.
func forget(state string) error {
	if state == "" {
		return nil
	}
	if err := os.Remove(state); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
