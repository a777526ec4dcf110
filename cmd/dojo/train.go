package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"time"

	"dojo/cluster"
	"dojo/configs"
	"dojo/model"
	"dojo/run"
	"dojo/serve"
	"dojo/train"

	"github.com/spf13/cobra"
)

// defaultPreset is what dojo train learns if it is not told.
const defaultPreset = "onitama-quick"

// runFlags are the flags of the verbs that work on a run.
type runFlags struct {
	dir      string
	settings []string
	from     string // the model to begin with
	workers  int
	limit    time.Duration
	serve    string // the address of the dashboard; "": none
}

func (f *runFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "run", "", "the run's folder (default runs/PRESET)")
	cmd.Flags().StringArrayVar(&f.settings, "set", nil, "change a setting of a new run, e.g. mcts.simulations=64 (repeatable)")
	cmd.Flags().IntVar(&f.workers, "workers", 0, "cores to use (default: all); changes no result")
	timeFlag(cmd.Flags(), &f.limit, "for", 0, "stop at the next safe point after this long, e.g. 30m")
}

func trainCommands(app *app) []*cobra.Command {
	return []*cobra.Command{
		trainCommand(app),
		stageCommand(app, stageVerb{
			name: "selfplay", short: "Play the games of a run's next generation", more: `

Several processes can play games of a run at a time, beside dojo train too: they
share out the shards of the generation.`,
			done: "the games are played", next: "fit", run: train.Selfplay,
		}),
		stageCommand(app, stageVerb{
			name: "fit", short: "Train the candidate of a run's next generation",
			done: "the candidate is trained", next: "gate", run: alone((*train.Run).Fit),
		}),
		stageCommand(app, stageVerb{
			name: "gate", short: "Play the match of a run's next generation and settle it",
			done: "the generation is settled", next: "selfplay", run: alone((*train.Run).Gate),
		}),
	}
}

func trainCommand(app *app) *cobra.Command {
	var flags runFlags
	var helpers clusterFlags
	var generations int
	cmd := &cobra.Command{
		Use:   "train [PRESET]",
		Short: "Learn a game from nothing, generation by generation",
		Long: `Learn a game from nothing: self-play by the best model so far, training on a
window of recent games, a match of the candidate against the best; again and
again. An existing run is continued where it stopped, however it stopped.

PRESET is a YAML file (your own, or the run.yaml of another run) or a name:
  ` + strings.Join(configs.Names(), "\n  ") + `

` + train.TableHelp,
		Example: `  dojo train
  dojo train onitama --run runs/long --for 2h
  dojo train tictactoe --set seed=7 --generations 5
  dojo train onitama --from runs/onitama-quick --run runs/further`,
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
			if err := helpers.check(); err != nil {
				return err
			}
			if flags.serve != "" {
				if err := hostPort("--serve", flags.serve); err != nil {
					return err
				}
			}
			return flags.within(cmd.Context(), func(ctx context.Context) error {
				return runTrain(ctx, app, flags, helpers, preset, generations)
			})
		},
	}
	flags.register(cmd)
	helpers.register(cmd)
	helpers.registerVerify(cmd)
	cmd.Flags().StringVar(&flags.from, "from", "", "begin a new run with the weights of this MODEL or of the best of this RUN, instead of random ones")
	cmd.Flags().StringVar(&flags.serve, "serve", "", "show the run in the browser meanwhile, at HOST:PORT (--serve alone: "+serve.DefaultListen+")")
	cmd.Flags().Lookup("serve").NoOptDefVal = serve.DefaultListen
	cmd.Flags().IntVar(&generations, "generations", 0, "length of the run; changes the learning-rate schedule (default: the preset's)")
	return cmd
}

// within runs work under the time limit of the flags, if they make sense.
func (f *runFlags) within(ctx context.Context, work func(context.Context) error) error {
	if err := inRange("--workers", f.workers, 0, mostWorkers); err != nil {
		return err
	}
	if f.limit == 0 {
		return work(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	return work(ctx)
}

func runTrain(ctx context.Context, app *app, flags runFlags, helpers clusterFlags, preset string, generations int) (err error) {
	p, err := prepare(flags, preset, generations)
	if err != nil {
		return err
	}
	opt := &p.opt
	table := train.NewTable(app.stderr, opt.Train.Generations)
	live := &serve.Live{Reporter: table}
	opt.Report = live
	opt.RolledBack = func(b *run.Rollback) {
		table.Clear()
		app.rolledBack(opt.Folder, b)
	}
	text, err := p.frozen.Text()
	if err != nil {
		return err
	}
	hub, err := helpers.hub(ctx, app, cluster.HubOptions{Name: opt.Name, Config: string(text), Dir: opt.Folder.Path("cluster")})
	if err != nil {
		return err
	}
	complete := false
	if hub != nil {
		defer func() { err = errors.Join(err, hub.Close(complete)) }()
		if err := hub.Attach(opt, string(text)); err != nil {
			return err
		}
	}
	if err := p.begin(); err != nil {
		return err
	}
	r, err := train.Open(*opt)
	if err != nil {
		return err
	}
	if err := keep(opt.Folder, p.frozen); err != nil {
		return errors.Join(err, r.Close())
	}
	stop, err := app.serveBeside(ctx, flags.serve, opt.Folder, live)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	table.Begin(opt, r.Generations())
	err = errors.Join(r.Loop(ctx), stop())
	table.Clear()
	done, last := r.Generations(), r.Best()
	if err := errors.Join(err, r.Close()); err != nil {
		return stopped(ctx, app, err, flags.limit, opt.Folder)
	}
	complete = true
	app.farewell(*opt, done, last)
	return nil
}

// stopped turns the end of a run before its time into a word on how to go on. Running out
// of the time that --for allows is no failure; a message between machines that was not
// answered in its time is one, though its error is of the same kind.
func stopped(ctx context.Context, app *app, err error, limit time.Duration, folder run.Folder) error {
	again := []string{"train", "--run", string(folder)}
	if deadline, limited := ctx.Deadline(); errors.Is(err, context.DeadlineExceeded) && limited && !time.Now().Before(deadline) {
		fmt.Fprintf(app.stderr, "stopped as asked after %s; %s\n", limit, goOn(again))
		return nil
	}
	return unfinished(ctx, err, again)
}

// goOn says with which command line work goes on that keeps what it has done.
func goOn(args []string) string {
	return "nothing but unfinished work is lost; go on with: " + command(args...)
}

// unfinished adds to the error of such work how to go on, if somebody interrupted it or the disk
// was full.
func unfinished(ctx context.Context, err error, args []string) error {
	again := goOn(args)
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return fmt.Errorf("%w; %s", context.Canceled, again)
	case diskFull(err):
		return fmt.Errorf("%w; make room: %s", err, again)
	}
	return err
}

// diskFull reports whether an error is that of a write for which the disk, or what a user may
// fill of it, has no room.
func diskFull(err error) bool {
	const windowsDiskFull = syscall.Errno(112) // ERROR_DISK_FULL
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || runtime.GOOS == "windows" && errors.Is(err, windowsDiskFull)
}

// farewell says what to do with a run that is complete.
func (a *app) farewell(opt train.Options, done int, best string) {
	all := fmt.Sprintf("%d generations are", done)
	if done == 1 {
		all = "1 generation is"
	}
	if best == model.NoModel {
		fmt.Fprintf(a.stderr, "\n%s complete; no model has beaten the search without one yet. More: %s --generations N\n", all, command("train", "--run", string(opt.Folder)))
		return
	}
	path := opt.Folder.Model(best)
	fmt.Fprintf(a.stderr, `
%s complete; the best model is %s. Now
  play against it       %s
  see how strong it is  %s
  take it away          %s
`, all, path, command("play", opt.Game.Name, path), command("evaluate", path), command("export", path, "--as", "binary", "-o", "bot"))
}

// serveBeside opens the dashboard of a run that this process trains, if there is an
// address for it. It is there until stop is called, which waits for its end.
func (a *app) serveBeside(ctx context.Context, listen string, folder run.Folder, live *serve.Live) (stop func() error, err error) {
	if listen == "" {
		return func() error { return nil }, nil
	}
	models, err := a.extraModels()
	if err != nil {
		return nil, err
	}
	l, err := serve.Listen(listen, listen != serve.DefaultListen)
	if err != nil {
		return nil, err
	}
	return serve.Beside(ctx, l, serve.Options{Runs: []run.Folder{folder}, Models: models, Live: live.Now},
		func(url string) { fmt.Fprintf(a.stderr, "dashboard: %s\n", url) })
}
