package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"dojo.example/arena"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/version"
	"dojo.example/measure"
	"dojo.example/model"
	"dojo.example/models"
	"dojo.example/run"
	"dojo.example/train"

	"github.com/spf13/cobra"
)

// distilOptions is what the command line tells distil.
type distilOptions struct {
	outputFlags
	train.Distillation        // Network has the kind and the sizes of the student
	samples            string // a run
	json               bool

	games, simulations int // of the matches against the teacher
	moveTime           time.Duration
}

// A sizeFlag sets a size of the student.
type sizeFlag struct {
	name, key string
	to        *int
	about     string
}

// sizes are the flags that only one kind of student has.
func (o *distilOptions) sizes() []sizeFlag {
	n := &o.Network
	return []sizeFlag{
		{"columns", "sparse.columns", &n.Sparse.Columns, "numbers in its first layer"},
		{"policy", "sparse.policy", &n.Sparse.Policy, "units of the policy"},
		{"value", "sparse.value", &n.Sparse.Value, "units of the value"},
		{"hidden", "sparse.hidden", &n.Sparse.Hidden, "units of the value's second layer"},
		{"channels", "channels", &n.Channels, ""},
		{"blocks", "blocks", &n.Blocks, ""},
	}
}

func (a *app) distilCommand() *cobra.Command {
	opt := distilOptions{Distillation: train.DefaultDistillation(model.Sparse)}
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
	f := cmd.Flags()
	opt.register(cmd, "the checkpoint to write")
	f.StringVar((*string)(&opt.Network.Kind), "kind", string(opt.Network.Kind), "kind of the student: sparse or residual")
	for _, s := range opt.sizes() {
		about := strings.TrimSuffix(fmt.Sprintf("of a %s student: %s", model.KindOf(s.key), s.about), ": ")
		f.IntVar(s.to, s.name, *s.to, about)
	}
	f.StringVar(&opt.samples, "samples", "", "the run whose positions are learnt from (TEACHER's)")
	flags.Int(f, &opt.Positions, "positions", opt.Positions, 1, 1_000_000_000, "positions to learn from, each drawn anew")
	flags.Int(f, &opt.Wander, "wander", opt.Wander, 0, 100, "the most random actions between a played position and one to learn from")
	f.Uint64Var(&opt.Seed, "seed", opt.Seed, "seed of the student's first weights, of the positions and of the matches")
	flags.Workers(f, &opt.Workers, "cores to use (default: all); changes no result but the match at equal time")
	flags.Games(f, &opt.games, 100, 0, "games of each match against TEACHER, an even number; 0: no matches")
	flags.Int(f, &opt.simulations, "simulations", 64, 1, mostSimulations, "root visits of both in the first match")
	flags.Time(f, &opt.moveTime, "movetime", 20*time.Millisecond, "time of both for an action in the second match")
	jsonFlag(cmd, &opt.json)
	return cmd
}

// check reports values that make no sense together.
func (o *distilOptions) check(cmd *cobra.Command) error {
	if o.out == "" {
		return usagef("-o FILE is missing")
	}
	for _, s := range o.sizes() {
		if kind := model.KindOf(s.key); kind != o.Network.Kind && cmd.Flags().Changed(s.name) {
			return usagef("--%s is for --kind %s", s.name, kind)
		}
	}
	if err := o.Network.Validate(); err != nil {
		return usagef("the student: %w", err)
	}
	return nil
}

// runDistil trains the student, writes it and measures it.
func (a *app) runDistil(ctx context.Context, args []string, opt distilOptions) error {
	teacher, game, err := a.openModel(args)
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
	d.Suit(opt.Network.For(game.Spec))
	if info, err := os.Stat(opt.out); err != nil || info.Mode().IsRegular() { // no device
		d.State = opt.out + ".partial"
	}
	named := strings.Join(args, "") // there is one at most
	d.Teacher, d.Game = teacher, game.Game.Game
	student, err := a.distil(ctx, d, cmp.Or(run.Folder(opt.samples), models.RunOf(named)), opt.samples != "")
	if err != nil {
		return err
	}
	if err := target.Write(ctx, student.Encode); err != nil {
		return a.goesOn(err, d.State)
	}
	if err := d.Forget(); err != nil {
		return err
	}
	return measure.Student(ctx, a.output(opt.json), measure.Lesson{
		Options: arena.Options{Game: game.Game.Game, Games: opt.games, OpeningPlies: 2, Workers: opt.Workers, Seed: opt.Seed},
		Entry:   game, Student: student, Teacher: teacher, File: opt.out, Named: cmp.Or(named, "box"), Simulations: opt.simulations, MoveTime: opt.moveTime,
	})
}

// distil runs a distillation on positions of a run, which must have some if must is set.
func (a *app) distil(ctx context.Context, d train.Distillation, from run.Folder, must bool) (*model.Checkpoint, error) {
	d.Version = version.String()
	if err := d.FindRoots(ctx, from, must); err != nil {
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
