package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"dojo/configs"
	"dojo/games"
	"dojo/internal/version"
	"dojo/model"
	"dojo/train"

	"github.com/spf13/cobra"
)

// defaultPreset is what dojo train learns if it is not told.
const defaultPreset = "onitama-quick"

// runFlags are the flags of the verbs that work on a run.
type runFlags struct {
	dir      string
	settings []string
	workers  int
	limit    time.Duration
}

func (f *runFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "run", "", "the run's folder (default runs/PRESET)")
	cmd.Flags().StringArrayVar(&f.settings, "set", nil, "change a setting of a new run, e.g. mcts.simulations=64 (repeatable)")
	cmd.Flags().IntVar(&f.workers, "workers", 0, "goroutines of every stage (one a core); changes no result")
	cmd.Flags().DurationVar(&f.limit, "for", 0, "stop at the next safe point after this long, e.g. 30m")
}

func trainCommands(app *app) []*cobra.Command {
	return []*cobra.Command{
		trainCommand(app),
		stageCommand(app, "selfplay", "Play the games of a run's next generation", (*train.Run).Selfplay),
		stageCommand(app, "fit", "Train the candidate of a run's next generation", (*train.Run).Fit),
		stageCommand(app, "gate", "Play the match of a run's next generation and settle it", (*train.Run).Gate),
	}
}

func trainCommand(app *app) *cobra.Command {
	var flags runFlags
	var generations int
	cmd := &cobra.Command{
		Use:   "train [PRESET]",
		Short: "Learn a game from nothing, generation by generation",
		Long: `Learn a game from nothing: self-play by the best model so far, training on a
window of recent games, a match of the candidate against the best; again and
again. An existing run is continued where it stopped, however it stopped.

PRESET is a name or a YAML file; there are
  ` + strings.Join(configs.Names(), "\n  ") + `

` + generationsHelp,
		Example: `  dojo train
  dojo train onitama --run runs/long --for 2h
  dojo train tictactoe --set seed=7 --generations 5`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			preset := ""
			if len(args) > 0 {
				preset = args[0]
			}
			if cmd.Flags().Changed("generations") {
				if generations < 1 {
					return usagef("--generations %d is less than 1", generations)
				}
			}
			return flags.within(cmd.Context(), func(ctx context.Context) error {
				return runTrain(ctx, app, flags, preset, generations)
			})
		},
	}
	flags.register(cmd)
	cmd.Flags().IntVar(&generations, "generations", 0, "length of the run; changes the learning-rate schedule (default: the preset's)")
	return cmd
}

// within runs f under the time limit of the flags.
func (f *runFlags) within(ctx context.Context, work func(context.Context) error) error {
	if f.limit <= 0 {
		return work(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	return work(ctx)
}

func runTrain(ctx context.Context, app *app, flags runFlags, preset string, generations int) error {
	report := &report{app: app, start: time.Now()}
	r, opt, err := openRun(flags, preset, generations, report)
	if err != nil {
		return err
	}
	report.begin(opt, r.Generations())
	err = r.Loop(ctx)
	report.clear()
	done, last := r.Generations(), r.Best()
	if err := errors.Join(err, r.Close()); err != nil {
		return stopped(app, err, flags.limit, opt.Dir)
	}
	app.farewell(opt, done, last)
	return nil
}

// stopped turns the end of a run before its time into a word on how to go on.
// Running out of the time allowed is no failure.
func stopped(app *app, err error, limit time.Duration, dir string) error {
	again := "nothing but unfinished work is lost; go on with: " + command("train", "--run", dir)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintf(app.stderr, "stopped as asked after %s; %s\n", limit, again)
		return nil
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w; %s", context.Canceled, again)
	}
	return err
}

// farewell says what to do with a run that is complete.
func (a *app) farewell(opt train.Options, done int, best string) {
	if best == model.NoModel {
		fmt.Fprintf(a.stderr, "\n%d generations are complete; no model has beaten the search without one yet. More: %s --generations N\n", done, command("train", "--run", opt.Dir))
		return
	}
	path := model.Path(opt.Dir, best)
	fmt.Fprintf(a.stderr, `
%d generations are complete; the best model is %s. Now
  play against it       %s
  see how strong it is  %s
  take it away          %s
`, done, path, command("play", opt.Game.Name, path), command("evaluate", path), command("export", path, "--as", "binary", "-o", "bot"))
}

// openRun makes or continues the run that the flags name.
func openRun(flags runFlags, preset string, generations int, report train.Reporter) (*train.Run, train.Options, error) {
	dir, c, err := configure(flags, preset, generations)
	if err != nil {
		return nil, train.Options{}, err
	}
	game, err := games.ByName(c.Game)
	if err != nil {
		return nil, train.Options{}, err
	}
	workers := flags.workers
	if workers < 1 {
		workers = runtime.NumCPU()
	}
	opt := train.Options{
		Game:           game.Game,
		NewSearch:      game.NewSearch,
		Network:        c.Network.For(game.Spec),
		Search:         c.MCTS,
		Selfplay:       c.Selfplay,
		Train:          c.Train,
		Gate:           c.Gate,
		Seed:           c.Seed,
		Dir:            dir,
		Name:           filepath.Base(dir),
		ProgramVersion: version.String(),
		Workers:        workers,
		Report:         report,
	}
	r, err := train.Open(opt)
	if err != nil {
		return nil, train.Options{}, err
	}
	if err := configs.Freeze(dir, configs.Frozen{Program: version.String(), Config: c}); err != nil {
		return nil, train.Options{}, errors.Join(err, r.Close())
	}
	return r, opt, nil
}

// configure settles the folder and the configuration of a run. An existing
// run keeps its own: what is asked for must agree with it.
func configure(flags runFlags, preset string, generations int) (dir string, c configs.Config, err error) {
	dir = flags.dir
	if dir == "" {
		name := preset
		if name == "" {
			name = defaultPreset
		}
		base := filepath.Base(name)
		dir = filepath.Join("runs", base[:len(base)-len(filepath.Ext(base))])
	}
	frozen, err := configs.Thaw(dir)
	switch {
	case errors.Is(err, configs.ErrNoRun):
		if err := vacant(dir); err != nil {
			return "", c, err
		}
		if preset == "" {
			preset = defaultPreset
		}
		c, err = configs.Load(preset, flags.settings...)
	case err == nil:
		c = frozen.Config
		err = agree(dir, c, preset, flags.settings)
	}
	if err != nil {
		return "", c, err
	}
	if generations > 0 {
		c.Train.Generations = generations
	}
	return dir, c, nil
}

// vacant reports a folder that is neither missing, nor empty, nor a run.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return nil // what cannot be read will be named when it is written
	}
	return fmt.Errorf("%s is not empty and holds no run; choose another folder with --run", dir)
}

// agree reports a preset or setting that differs from those of the run.
func agree(dir string, c configs.Config, preset string, settings []string) error {
	want := c
	if preset != "" {
		var err error
		if want, err = configs.Load(preset); err != nil {
			return err
		}
		want.Train.Generations = c.Train.Generations
		if want.Game != c.Game {
			return fmt.Errorf("%s is a run of %s, not of %s; choose another folder with --run", dir, c.Game, want.Game)
		}
		if len(settings) == 0 && want != c {
			return fmt.Errorf("%s was begun with other settings than preset %s; continue it with: %s", dir, preset, command("train", "--run", dir))
		}
		want = c
	}
	for _, s := range settings {
		if err := want.Set(s); err != nil {
			return err
		}
		if want != c {
			return fmt.Errorf("%s was begun without --set %s, and a run keeps its settings; choose another folder with --run", dir, s)
		}
	}
	return nil
}
