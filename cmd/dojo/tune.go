package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dojo/arena"
	"dojo/games"
	"dojo/internal/console"
	"dojo/internal/flags"
	"dojo/mcts"
	"dojo/model"
	"dojo/models"
	"dojo/think"
	"dojo/tune"

	"github.com/spf13/cobra"
)

// ranges are where the constants of the search are looked for.
var ranges = map[string]tune.Constant{
	"cpuct":         {Low: 0.3, High: 8, Log: true},
	"cpuct_base":    {Low: 300, High: 1_000_000, Log: true},
	"fpu_reduction": {Low: 0, High: 1},
}

// tuneOptions is what the command line tells tune.
type tuneOptions struct {
	matchOptions
	constants  []string // NAME or NAME=START
	iterations int
	budget     think.Budget
	out        string
	json       bool
}

func (a *app) tuneCommand() *cobra.Command {
	var opt tuneOptions
	cmd := &cobra.Command{
		Use:   "tune MODEL|RUN",
		Short: "Better constants of the search, by matches against itself",
		Long: `Looks for better constants of a model's search at a given budget: each iteration
moves all of them a little in random directions, plays games between the two
opposite displacements and learns from the score (SPSA, Spall 1992). The result
is the mean over the second half of the iterations. What was played is kept in
the file --output; the same command goes on after a stop.

A constant is ` + strings.Join(mcts.Constants, ", ") + `; NAME=VALUE begins
elsewhere than at the model's own. Compare the result with where it began by
"dojo match", with fresh seeds, before you believe it: MODEL#cpuct=2 plays with
that constant. A preset has them under mcts.`,
		Example: `  dojo tune runs/onitama-quick -o cpuct.jsonl
  dojo tune box:onitama --constants cpuct=6,fpu_reduction --simulations 400 -o box.jsonl
  dojo tune box:onitama --time 42ms --iterations 2000 -o 42ms.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.tune(cmd.Context(), args[0], opt) },
	}
	opt.flags(cmd, 16, 64)
	cmd.Flags().Lookup("games").Usage = "games of an iteration, an even number"
	cmd.Flags().StringSliceVar(&opt.constants, "constants", mcts.Constants, "what is tuned")
	cmd.Flags().IntVar(&opt.iterations, "iterations", 500, "how many are played")
	flags.Time(cmd.Flags(), &opt.budget.Time, "time", 0, "time of a move, instead of --simulations")
	cmd.Flags().StringVarP(&opt.out, "output", "o", "", "the file of the iterations")
	_ = cmd.MarkFlagRequired("output") // it is a flag of this command
	cmd.MarkFlagsMutuallyExclusive("time", "simulations")
	opt.cluster.register(cmd)
	for _, flag := range []string{"listen", "nats"} {
		cmd.MarkFlagsMutuallyExclusive("time", flag)
	}
	jsonFlag(cmd, &opt.json)
	return cmd
}

// tune tunes the constants of a model's search.
func (a *app) tune(ctx context.Context, name string, opt tuneOptions) (err error) {
	if err := cmp.Or(opt.check(), inRange("--iterations", opt.iterations, 2, 1_000_000)); err != nil {
		return err
	}
	c, err := models.Open(name)
	if err != nil {
		return err
	}
	game, err := models.GameOf(c)
	if err != nil {
		return err
	}
	plan := tune.Plan{
		Player: name, Model: c.Hash(), Budget: fmt.Sprintf(":%d", opt.simulations), Openings: opt.openings, Games: opt.games,
		Iterations: opt.iterations, Seed: opt.seed,
	}
	if opt.budget.Time > 0 {
		plan.Budget = "@" + opt.budget.Time.String()
	}
	if plan.Constants, err = tuned(think.Constants(c.Meta), opt.constants); err != nil {
		return err
	}
	t := tuning{app: a, opt: opt, plan: plan, game: game, env: models.Env(game, opt.simulations, nil)}
	player, err := think.Model(c, model.Best)
	if err != nil {
		return err
	}
	t.env.Load = func(string, model.Precision) (think.Options, error) { return player, nil }
	if t.opt.remote, err = opt.cluster.remote(ctx, a, game, opt.simulations, nil); err != nil {
		return err
	}
	values, err := t.run(ctx)
	if err = errors.Join(err, t.opt.remote.Close(err == nil)); err != nil {
		return unfinished(ctx, err, a.args)
	}
	return t.print(values)
}

// tuned returns the constants that are named, from a model's own or from where the names say.
func tuned(own mcts.Config, names []string) (all []tune.Constant, err error) {
	for _, text := range names {
		name, start, given := strings.Cut(text, "=")
		c, ok := ranges[name]
		if !ok {
			return nil, usagef("--constants: %q is none of %s", name, strings.Join(mcts.Constants, ", "))
		}
		c.Name = name
		c.Start, _ = strconv.ParseFloat(fmt.Sprint(*own.Constant(name)), 64) // 0.1, and not the nearest float32
		if given {
			if c.Start, err = strconv.ParseFloat(start, 64); err != nil {
				return nil, usagef("--constants: %q is not a number", text)
			}
		}
		if !(c.Start >= c.Low && c.Start <= c.High) {
			return nil, usagef("--constants: %s begins at %v, which is not between %v and %v", name, c.Start, c.Low, c.High)
		}
		if slices.ContainsFunc(all, func(x tune.Constant) bool { return x.Name == name }) {
			return nil, usagef("--constants: %s stands there twice", name)
		}
		all = append(all, c)
	}
	return all, nil
}

// tuning is a running tune.
type tuning struct {
	app  *app
	opt  tuneOptions
	plan tune.Plan
	game games.Entry
	env  arena.Env
}

// run plays the iterations that the file does not have, and returns the constants.
func (t *tuning) run(ctx context.Context) ([]float64, error) {
	file, err := tune.OpenFile(t.opt.out, t.plan)
	if err != nil {
		return nil, err
	}
	state, err := tune.Begin(tune.Options{Constants: t.plan.Constants, Iterations: t.plan.Iterations, Seed: t.plan.Seed, Play: t.play})
	if err != nil {
		return nil, err
	}
	if err := state.Replay(file.Steps); err != nil {
		return nil, fmt.Errorf("%s: %w", t.opt.out, err)
	}
	bar := console.NewBar(t.app.stderr, t.plan.Iterations, "tune "+t.plan.Player)
	defer bar.Clear()
	err = state.Run(ctx, func(x tune.Step) error {
		bar.Set(state.Done(), strings.ReplaceAll(strings.TrimPrefix(t.changes(x.Values), "#"), "#", " "))
		return file.Add(x)
	})
	return state.Values(), err
}

// play plays an iteration between the player with two sets of constants.
func (t *tuning) play(ctx context.Context, iteration int, a, b []float64) (float64, error) {
	match := arena.Options{
		Game: t.game.Game.Game, Names: [2]string{t.player(a), t.player(b)}, Games: t.plan.Games,
		Seed: t.plan.Seed<<32 + uint64(iteration), OpeningPlies: t.plan.Openings, Workers: t.opt.workers,
	}
	var err error
	if match.A, _, err = arena.Parse(match.Names[0], t.env); err != nil {
		return 0, err
	}
	if match.B, _, err = arena.Parse(match.Names[1], t.env); err != nil {
		return 0, err
	}
	if t.opt.remote != nil {
		if match.Source, err = t.opt.remote.Source(match, match.Names); err != nil {
			return 0, err
		}
	}
	result, err := arena.Match(ctx, match)
	return result.Score(), err
}

// player is the name of the player with constants.
func (t *tuning) player(values []float64) string {
	return t.plan.Player + t.changes(values) + t.plan.Budget
}

// changes are constants as the name of a player has them.
func (t *tuning) changes(values []float64) (text string) {
	for i, c := range t.plan.Constants {
		text += "#" + c.Name + "=" + strconv.FormatFloat(values[i], 'f', -1, 64)
	}
	return text
}

// print shows the constants before and after.
func (t *tuning) print(values []float64) error {
	var before []float64
	table := console.NewTable("constant", "before", "after")
	for i, c := range t.plan.Constants {
		before = append(before, c.Start)
		table.Row(c.Name, c.Start, values[i])
	}
	compare := []string{"match", t.player(values), t.player(before), "--games", "1000", "--seed", strconv.FormatUint(t.plan.Seed+1, 10)}
	if t.opt.json {
		after := map[string]float64{}
		for i, c := range t.plan.Constants {
			after[c.Name] = values[i]
		}
		return t.app.printJSON(map[string]any{"player": t.plan.Player, "iterations": t.plan.Iterations, "games": t.plan.Games * t.plan.Iterations, "constants": after, "compare": compare})
	}
	fmt.Fprintf(t.app.stdout, "%s\n\nto see whether it is better: %s\n", table, command(compare...))
	return nil
}
