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
	solved      string // a file
	precision   int    // positions
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
neighbours and the first: how its strength grew. With --solved FILE, the model
answers positions of known value, and the share in which it keeps the value is
counted. With --precision N, its outputs in 8 bits are compared with those in
floats, on N positions or some more that it plays to itself.`,
		Example: `  dojo evaluate runs/onitama-quick
  dojo evaluate runs/onitama-quick --generations 6 --games 200
  dojo evaluate runs/onitama-quick/models/000009.safetensors --against mcts:1000,alphabeta:3 --json
  dojo evaluate runs/onitama-quick --solved positions.jsonl.gz --simulations 200`,
		Args: modelArgs(a, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return a.evaluate(cmd, args, &opt) },
	}
	cmd.Flags().StringSliceVar(&opt.against, "against", []string{"random", "greedy", "mcts:1000", "alphabeta:3"}, "the opponents")
	cmd.Flags().IntVar(&opt.generations, "generations", 0, "compare so many models of a run with each other")
	cmd.Flags().StringVar(&opt.solved, "solved", "", "a file of positions of known value (.jsonl or .jsonl.gz)")
	cmd.Flags().IntVar(&opt.precision, "precision", 0, "compare 8 bits with floats on so many positions")
	cmd.MarkFlagsMutuallyExclusive("against", "generations", "solved", "precision")
	opt.flags(cmd, 100, 64)
	for _, flag := range []string{"games", "openings"} { // of matches
		cmd.MarkFlagsMutuallyExclusive("solved", flag)
		cmd.MarkFlagsMutuallyExclusive("precision", flag)
	}
	jsonFlag(cmd, &opt.json)
	return cmd
}

// evaluate measures what the flags ask for.
func (a *app) evaluate(cmd *cobra.Command, args []string, opt *evaluateOptions) error {
	ladder, precision := cmd.Flags().Changed("generations"), cmd.Flags().Changed("precision")
	err := opt.check()
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
	case opt.solved != "":
		return e.solved(ctx, opt.solved)
	}
	return e.opponents(ctx, opt.against)
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

// opponents plays the model against each of them.
func (e *evaluation) opponents(ctx context.Context, against []string) error {
	players := env(e.game, e.opt.simulations, nil)
	self := arena.Search(e.game.NewSearch, e.game.Spec, e.model, think.Budget{Visits: e.opt.simulations})
	name := fmt.Sprintf("%s:%d", e.name, e.opt.simulations)
	var makers []arena.Maker
	var names []string
	for _, text := range against { // all, before any game is played
		maker, name, err := arena.Parse(text, players)
		if err != nil {
			return err
		}
		makers, names = append(makers, maker), append(names, name)
	}
	if !e.json {
		fmt.Fprintf(e.app.stdout, "%s, model %s\n%s\n", e.game.Name, name, resultHeader("against"))
	}
	for i, opponent := range names {
		result, err := e.app.match(ctx, e.game, e.opt, [2]string{name, opponent}, [2]arena.Maker{self, makers[i]})
		if err != nil {
			return err
		}
		if e.json {
			if err := e.app.printJSON(result.Summary(name, opponent)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(e.app.stdout, resultLine(opponent, result))
	}
	return nil
}

// solved counts how often the model keeps the value of a solved position.
func (e *evaluation) solved(ctx context.Context, path string) error {
	problems, skipped, err := arena.ReadProblems(e.game.Game, path)
	if err != nil {
		return err
	}
	progress := e.app.newBar(len(problems), "solved positions")
	good, err := arena.Kept(ctx, problems, arena.Solving{
		Thinker: func() *think.Thinker {
			return think.New(e.game.NewSearch, e.game.Spec, e.model)
		},
		Budget:   think.Budget{Visits: e.opt.simulations},
		Workers:  e.opt.workers,
		Progress: func(done int) { progress.set(done, "") },
	})
	progress.clear()
	if err != nil {
		return err
	}
	share := float64(good) / float64(len(problems))
	if e.json {
		return e.app.printJSON(map[string]any{
			"model": e.name, "simulations": e.opt.simulations, "solved": path,
			"positions": len(problems), "skipped": skipped, "kept": good, "share": share,
		})
	}
	_, err = fmt.Fprintf(e.app.stdout, "%s, model %s:%d: the value is kept in %d of %d positions (%.1f %%); %d skipped, where the choice does not matter or is not known\n",
		e.game.Name, e.name, e.opt.simulations, good, len(problems), 100*share, skipped)
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
