package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"dojo/arena"
	"dojo/games"
	"dojo/model"
	"dojo/think"

	"github.com/spf13/cobra"
)

// evaluateOptions is what the command line tells evaluate.
type evaluateOptions struct {
	matchOptions
	against     []string
	generations int
	solved      solvedOptions
	precision   int // positions
	json        bool
}

func (a *app) evaluateCommand() *cobra.Command {
	var opt evaluateOptions
	cmd := &cobra.Command{
		Use:   "evaluate MODEL|RUN",
		Short: "How strong is a model, or a whole run",
		Long: `Plays a match of a model (a checkpoint, or the best of a run) against each of
several opponents, players as "dojo match" takes them, and gives win rates and
Elo differences with 95 % intervals.

With --generations N, N models of a run, evenly spaced, are played against their
neighbours and the first: how its strength grew. With --solved FILE, the model,
or any --player of --game, answers positions of known value: counted are those
in which it keeps the value and the wins that it throws away, by the men on the
board and by the plies to the end. With --precision N, its outputs in 8 bits are
compared with those in floats, on N positions or some more that it plays to
itself.

With --listen, workers ("dojo worker") play games of the matches too: the
results are the same.`,
		Example: `  dojo evaluate runs/onitama-quick
  dojo evaluate runs/onitama-quick --generations 6 --games 200
  dojo evaluate runs/onitama-quick/models/000009.safetensors --against mcts:1000,alphabeta:3 --json
  dojo evaluate runs/onitama-quick --solved positions.jsonl.gz --simulations 200
  dojo evaluate --player alphabeta@30ms --game onitama --solved positions.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case opt.solved.player == "":
				return positional(cmd, args)
			case len(args) > 0:
				return usagef("--player names who is measured, and so does %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.evaluate(cmd, args, &opt) },
	}
	cmd.Flags().StringSliceVar(&opt.against, "against", []string{"random", "greedy", "mcts:1000", "alphabeta:3"}, "the opponents")
	cmd.Flags().IntVar(&opt.generations, "generations", 0, "compare so many models of a run with each other")
	cmd.Flags().IntVar(&opt.precision, "precision", 0, "compare 8 bits with floats on so many positions")
	opt.flags(cmd, 100, 64)
	opt.solved.flags(cmd)
	opt.cluster.register(cmd)
	cmd.MarkFlagsMutuallyExclusive("against", "generations", "solved", "precision")
	for _, flag := range []string{"games", "openings", "listen", "nats"} { // of matches
		cmd.MarkFlagsMutuallyExclusive("solved", flag)
		cmd.MarkFlagsMutuallyExclusive("precision", flag)
	}
	jsonFlag(cmd, &opt.json)
	return cmd
}

// evaluate measures what the flags ask for.
func (a *app) evaluate(cmd *cobra.Command, args []string, opt *evaluateOptions) error {
	ladder, precision := cmd.Flags().Changed("generations"), cmd.Flags().Changed("precision")
	err := firstError(opt.check(), opt.solved.check())
	if len(opt.against) == 0 {
		err = firstError(err, usagef("--against names no player"))
	}
	if ladder {
		err = firstError(err, inRange("--generations", opt.generations, 2, math.MaxInt))
	}
	if precision {
		err = firstError(err, inRange("--precision", opt.precision, 1, mostPositions))
	}
	if err != nil {
		return err
	}
	ctx, e := cmd.Context(), evaluation{app: a, opt: opt.matchOptions, json: opt.json}
	if ladder {
		return e.ladder(ctx, args, opt.generations)
	}
	if opt.solved.player != "" {
		return e.solvedBy(ctx, opt.solved)
	}
	checkpoint, game, err := a.openModel(args)
	if err != nil {
		return err
	}
	e.game, e.name = game, checkpoint.Name
	if e.model, err = think.Model(checkpoint, model.Best); err != nil {
		return err
	}
	switch {
	case precision:
		return e.precision(ctx, checkpoint, opt.precision)
	case opt.solved.file != "":
		return e.solvedByModel(ctx, opt.solved)
	}
	return e.opponents(ctx, checkpoint, opt.against)
}

// evaluation is what evaluate measures with.
type evaluation struct {
	app  *app
	opt  matchOptions
	json bool

	game  games.Entry
	model think.Options
	name  string // the model's
}

// helped does work while workers may join, if the flags ask for them.
func (e *evaluation) helped(ctx context.Context, self *model.Checkpoint, work func() error) (err error) {
	if e.opt.remote, err = e.opt.cluster.remote(ctx, e.app, e.game, e.opt.simulations, self); err != nil {
		return err
	}
	err = work()
	return errors.Join(err, e.opt.remote.close(err == nil))
}

// opponents plays the model, whose checkpoint is self, against each of them.
func (e *evaluation) opponents(ctx context.Context, self *model.Checkpoint, against []string) error {
	if err := noHuman("evaluate", "", against...); err != nil {
		return err
	}
	if err := e.opt.cluster.portable(against...); err != nil {
		return err
	}
	players := env(e.game, e.opt.simulations, nil)
	maker := arena.Search(e.game.NewSearch, e.game.Spec, e.model, think.Budget{Visits: e.opt.simulations})
	name := fmt.Sprintf("%s:%d", e.name, e.opt.simulations)
	var makers []arena.Maker
	var names []string
	for _, text := range against { // all, before any game is played
		opponent, name, err := arena.Parse(text, players)
		if err != nil {
			return err
		}
		makers, names = append(makers, opponent), append(names, name)
	}
	if !e.json {
		fmt.Fprintf(e.app.stdout, "%s, model %s\n%s\n", e.game.Name, name, resultHeader("against"))
	}
	return e.helped(ctx, self, func() error {
		for i, opponent := range names {
			e.opt.players = [2]string{selfPath, against[i]}
			result, err := e.app.match(ctx, e.game, e.opt, [2]string{name, opponent}, [2]arena.Maker{maker, makers[i]})
			if err != nil {
				return err
			}
			if err := e.show(name, opponent, result); err != nil {
				return err
			}
		}
		return nil
	})
}

// show prints the result of a match.
func (e *evaluation) show(name, opponent string, result arena.Result) error {
	if e.json {
		return e.app.printJSON(result.Summary(name, opponent))
	}
	_, err := fmt.Fprintln(e.app.stdout, resultLine(opponent, result))
	return err
}

// isRun reports whether args name a run.
func isRun(args []string) error {
	if len(args) == 0 {
		return errors.New("which run? a carried model has no generations")
	}
	info, err := os.Stat(args[0])
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is a file, not a run", args[0])
	}
	return nil
}
