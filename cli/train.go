package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dojo.example/cluster/hub"
	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/games/box"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/internal/process"
	"dojo.example/serve"
	"dojo.example/train"

	"github.com/spf13/cobra"
)

// runFlags are the flags that all verbs that work on a run share.
type runFlags struct {
	configs.Request
	limit time.Duration
	serve string // address of the dashboard; "" for no dashboard
	stay  bool   // keep serving the dashboard after the last generation
	back  int    // generation to go back to; -1 for none
	pages pageFlags
	given []string // see givenFlags
}

func (f *runFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(&f.Folder), "run", "", "the run's folder (default runs/PRESET)")
	offer(cmd, "run", aRun)
	cmd.Flags().StringArrayVar(&f.Settings, "set", nil, "change a setting of a new run, e.g. mcts.simulations=64 (repeatable)")
	flags.Workers(cmd.Flags(), &f.Workers, "cores to use (default: all); does not change results")
	flags.Memory(cmd.Flags(), memory.Free)
	flags.Time(cmd.Flags(), &f.limit, "for", 0, "stop at the next safe point after this long, e.g. 30m")
}

// aPreset is the PRESET argument of the verbs that work on a run.
var aPreset = argument{name: "PRESET", need: optional, offer: offering(cobra.ShellCompDirectiveDefault, configs.Names)}

// prepare opens the run given by the flags and the arguments. If the run does not exist, it creates
// it.
func (f *runFlags) prepare(args []string) (p configs.Prepared, err error) {
	if len(args) > 0 {
		f.Preset = args[0]
	}
	if f.From != "" {
		if base := box.Base(f.From); base != f.From {
			return p, usagef("--from %s: a run starts with the weights of a model, so name only the model: %s", f.From, base)
		}
		if f.Start, err = box.Open(f.From); err != nil {
			return p, fmt.Errorf("--from: %w", err)
		}
	}
	p, err = configs.Prepare(f.Request)
	if different := (configs.DifferentError{}); errors.As(err, &different) {
		err = fmt.Errorf("%w; to continue that run: %s", err, command(append([]string{"train", "--run", string(different.Folder)}, f.given...)...))
	}
	if err != nil {
		return p, err
	}
	if err := p.Options.CheckMemory(); err != nil {
		return p, err
	}
	p.Options.Flags = f.given
	p.Options.Mark, err = box.Mark(p.Options.Game, train.LadderSimulations)
	return p, err
}

// within returns a context that is cancelled when ctx is. If --for is given, it is also cancelled
// after that time.
func (f *runFlags) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, f.limit)
}

func trainCommands(app *app) []*cobra.Command {
	return []*cobra.Command{
		trainCommand(app),
		stageCommand(app, stageVerb{
			name: "selfplay", short: "Play the games of a run's next generation", more: `

Several processes can play games of a run at the same time, also while "dojo
train" runs. They share the shards of the generation among themselves.`,
			done: "all games of the generation are played", next: "fit", run: train.Selfplay,
		}),
		stageCommand(app, stageVerb{
			name: "fit", short: "Train the candidate of a run's next generation",
			done: "the candidate is trained", next: "gate", run: train.Alone((*train.Run).Fit),
		}),
		stageCommand(app, stageVerb{
			name: "gate", short: "Play the gate of a run's next generation and commit it",
			done: "the generation is complete", next: "selfplay", run: train.Alone((*train.Run).Gate),
		}),
	}
}

func trainCommand(app *app) *cobra.Command {
	var opt runFlags
	var helpers clusterFlags
	var metrics metricsFlags
	cmd := arguments{aPreset}.of(&cobra.Command{
		Use:   "train",
		Short: "Start or continue a training run",
		Long: `Learn a game from nothing. Each generation of a run has three stages: the best
model plays games against itself, a candidate is trained on a window of recent
games, and the candidate plays a match against the best model, the gate.

If the run exists, the command continues it, no matter how it stopped.

PRESET is a YAML file (your own, or the run.yaml of another run) or a name:
  ` + strings.Join(configs.Names(), "\n  ") + `

` + train.DisplayHelp,
		Example: `  dojo train
  dojo train onitama --run runs/long --for 2h
  dojo train tictactoe --set seed=7 --generations 5
  dojo train onitama --from runs/onitama-quick --run runs/further`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.serve != "" {
				if err := hostPort("--serve", opt.serve); err != nil {
					return err
				}
			} else if name := opt.pages.given(cmd); name != "" {
				return usagef("--%s needs --serve: it is a setting of the dashboard", name)
			}
			if err := errors.Join(opt.pages.check(), metrics.check()); err != nil {
				return err
			}
			if opt.stay && opt.serve == "" && metrics.address == "" {
				return usagef("--stay needs --serve or --metrics: a complete run has nothing else to do")
			}
			opt.given = givenFlags(cmd)
			ctx, cancel := opt.within(cmd.Context())
			defer cancel()
			return app.train(ctx, opt, helpers, metrics, args)
		},
	})
	opt.register(cmd)
	helpers.register(cmd)
	helpers.registerVerify(cmd)
	cmd.Flags().StringVar(&opt.From, "from", "", "start a new run with the weights of this model (or of this run's best model) instead of random weights")
	cmd.Flags().StringVar(&opt.serve, "serve", "", "also show the run in the browser, at HOST:PORT (without a value: "+serve.DefaultListen+")")
	cmd.Flags().Lookup("serve").NoOptDefVal = serve.DefaultListen
	opt.pages.register(cmd, "serve-token-file")
	metrics.register(cmd)
	cmd.Flags().BoolVar(&opt.stay, "stay", false, "when the run is complete, keep serving its pages and metrics until the process is stopped")
	app.logFlags(cmd, auto)
	flags.Int(cmd.Flags(), &opt.Generations, "generations", 0, 1, 1_000_000, "number of generations of the run; changes the learning-rate schedule (default: the preset's)")
	flags.IntOr(cmd.Flags(), &opt.back, "back-to", -1, 0, 1_000_000, "none", "once: first go back to generation `N`, by moving its files and those of later generations aside")
	return cmd
}

// train trains the run given by the flags and the arguments.
func (a *app) train(ctx context.Context, flags runFlags, helpers clusterFlags, metrics metricsFlags, args []string) (err error) {
	m := newMonitor(func() error { return errors.New("the run is not open yet") }, flags.pages.hosts...)
	helpers.loaded = m.expires
	unwatch, err := metrics.serve(ctx, m, func(url string) { a.say("metrics: "+url, "serving metrics", "address", url) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unwatch()) }()
	p, err := flags.prepare(args)
	if err != nil {
		return err
	}
	opt := &p.Options
	display := a.progress(opt.Train.Generations)
	opt.Report = display
	opt.Warn = display.Warn
	hub, err := a.hubOf(ctx, p, flags, helpers)
	if err != nil {
		return err
	}
	complete := false
	defer func() { hub.Close(complete) }()
	if flags.back >= 0 {
		if err := a.goBack(ctx, p, flags.back); err != nil {
			return err
		}
	}
	if hub != nil {
		if err := hub.Attach(opt, string(p.Text)); err != nil {
			return err
		}
	}
	var r *train.Run
	err = process.Crowded(ctx, func() error {
		r, err = p.Open()
		return err
	})
	if err != nil {
		return err
	}
	stop, err := a.serveBeside(ctx, flags, opt.Folder, display.Now, m)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	m.setReady(connected(hub))
	display.Begin(opt, r.Generations())
	err = r.Loop(ctx)
	display.Clear()
	done, best := r.Generations(), r.Best()
	if err = errors.Join(err, r.Close()); err == nil {
		complete = true
		a.farewell(*opt, done, best)
	}
	if complete && flags.stay {
		m.setReady(connected(nil))
		hub.Close(complete)
		hub = nil
		a.say("press Ctrl-C to end the server", "staying until the process is stopped")
		<-ctx.Done()
	}
	if err := errors.Join(err, stop()); err != nil {
		return a.stopped(ctx, err, flags.limit, *opt)
	}
	return nil
}

// connected returns a function that returns an error if h, which may be nil, has lost its NATS
// server.
func connected(h *hub.Hub) func() error {
	if h == nil {
		return func() error { return nil }
	}
	return h.Connected
}

// hubOf starts the hub of a run if workers can join. With --stay, it returns nil for a run that is
// already complete. Such a run has no work for workers, so workers that are restarted wait for the
// trainer instead of ending again and again.
func (a *app) hubOf(ctx context.Context, p configs.Prepared, flags runFlags, helpers clusterFlags) (*hub.Hub, error) {
	if flags.stay && flags.back < 0 {
		done, err := train.ReadMetrics(p.Options.Folder) // train.Open reports the error
		if err == nil && len(done) >= p.Options.Train.Generations {
			return nil, nil
		}
	}
	return helpers.hub(ctx, a, hub.Options{Name: p.Options.Name, Config: string(p.Text), Dir: p.Options.Folder.Path("cluster")})
}

// goBack moves the files of the given generation and of all later ones into another folder, and
// prints where they are.
func (a *app) goBack(ctx context.Context, p configs.Prepared, generation int) error {
	folder := p.Options.Folder
	if !p.Begun() {
		return fmt.Errorf("--back-to: there is no run in %s yet", folder)
	}
	number, err := train.BackTo(ctx, p.Options, generation)
	if err != nil {
		return fmt.Errorf("--back-to: %w", err)
	}
	aside := folder.Aside(number)
	a.say(fmt.Sprintf("the run goes back to generation %d; the old files of this and later generations are in %s", generation, aside),
		"the run goes back to an earlier generation", "generation", generation, "old_files", aside)
	return nil
}

// serveBeside adds the run that this process trains to the metrics of m. If --serve is given, it
// also serves the run's dashboard. The caller must call stop, which shuts the dashboard down and
// waits until it has stopped.
func (a *app) serveBeside(ctx context.Context, flags runFlags, folder rundir.Folder, live func() *train.Stage, m *monitor) (stop func() error, err error) {
	opt := serve.Options{Runs: []rundir.Folder{folder}, Live: live, Health: m}
	if flags.serve != "" {
		if opt.Models, err = a.extraModels(); err != nil {
			return nil, err
		}
		if err := flags.pages.apply(&opt, a.logger("")); err != nil {
			return nil, err
		}
	}
	s, err := serve.New(opt)
	if err != nil {
		return nil, err
	}
	m.metrics.MustRegister(s.Collector())
	if flags.serve == "" {
		return func() error { return nil }, nil
	}
	l, err := serve.Listen(flags.serve, flags.serve != serve.DefaultListen)
	if err != nil {
		return nil, err
	}
	return s.Beside(ctx, l, func(url string) {
		words := "dashboard: " + url
		if flags.pages.tokenFile != "" {
			words += "\n" + flags.pages.advice(url)
		}
		a.say(words, "serving the pages", "address", url)
	}), nil
}
