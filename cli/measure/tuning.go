package measure

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dojo.example/arena"
	"dojo.example/cli/tune"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/internal/console"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// ranges lists the search constants that can be tuned, each with its allowed range.
var ranges = map[string]tune.Constant{
	"cpuct":             {Low: 0.3, High: 8, Log: true},
	"cpuct_base":        {Low: 300, High: 1_000_000, Log: true},
	"fpu_reduction":     {Low: 0, High: 1},
	"prior_temperature": {Low: 0.5, High: 3, Log: true},
}

// Tuned returns the constants to tune. Names have the form NAME or NAME=START. Without START, a
// constant starts at its value in own, the model's search settings.
func Tuned(own mcts.Config, names []string) (all []tune.Constant, err error) {
	own.PriorTemperature = cmp.Or(own.PriorTemperature, 1)
	for _, text := range names {
		name, start, given := strings.Cut(text, "=")
		c, ok := ranges[name]
		if !ok {
			return nil, fmt.Errorf("%q is not a constant that can be tuned; choose from %s", name, strings.Join(mcts.Tunable, ", "))
		}
		c.Name = name
		// Convert the float32 to float64 through text, so that 0.1 does not become 0.10000000149.
		c.Start, _ = strconv.ParseFloat(fmt.Sprint(*own.Constant(name)), 64)
		if given {
			if c.Start, err = strconv.ParseFloat(start, 64); err != nil {
				return nil, fmt.Errorf("%q: the value is not a number", text)
			}
		}
		if !(c.Start >= c.Low && c.Start <= c.High) {
			return nil, fmt.Errorf("%s=%v is out of range; it must be from %v to %v", name, c.Start, c.Low, c.High)
		}
		if slices.ContainsFunc(all, func(x tune.Constant) bool { return x.Name == name }) {
			return nil, fmt.Errorf("%s is named twice", name)
		}
		all = append(all, c)
	}
	return all, nil
}

// A Tuning searches for better constants of a model's search; see package tune.
type Tuning struct {
	arena.Options           // options of the matches
	Remarks       io.Writer // receives progress and remarks as text
	Entry         games.Entry
	Model         *model.Checkpoint
	Plan          tune.Plan
	File          string // path of the file that stores the iterations
}

// Run plays the iterations that the file does not have yet, and returns the report. If ctx is
// cancelled, it returns an error and the report so far.
func (t *Tuning) Run(ctx context.Context) (r console.Report, err error) {
	if err := t.openings(ctx); err != nil {
		return r, err
	}
	state, err := tune.Open(t.File, t.Plan)
	if err != nil {
		return r, err
	}
	bar := console.NewBar(t.Remarks, t.Plan.Iterations, "tune "+t.Plan.Player)
	defer bar.Clear()
	err = state.Run(ctx, t.play, func() {
		bar.Set(state.Done(), strings.ReplaceAll(strings.TrimPrefix(t.changes(state.Values()), "#"), "#", " "))
	})
	if err == nil || ctx.Err() != nil {
		r = t.report(state)
	}
	return r, err
}

// openings chooses the number of random actions per opening, so that there are enough openings for
// all iterations together. If there still are too few, it prints a warning, because the constants
// would then be tuned to these few openings.
func (t *Tuning) openings(ctx context.Context) error {
	all := t.Options
	all.Games *= t.Plan.Iterations
	if err := ChooseOpenings(ctx, t.Remarks, &all); err != nil {
		return err
	}
	t.OpeningPlies, t.Plan.Openings = all.OpeningPlies, all.OpeningPlies
	const many = 1000 // to save time, compare at most this many openings
	pairs := all.Games / 2
	all.Games = 2 * min(pairs, many)
	n, err := arena.Openings(ctx, all)
	if err == nil && n < min(pairs, many) {
		fmt.Fprintf(t.Remarks, "found only %d different openings of %d random actions for %d pairs of games, so the constants will fit only these openings; choose longer ones with --openings\n", n, all.OpeningPlies, pairs)
	}
	return err
}

// play plays the games of one iteration: the model with constants a against the model with
// constants b. It returns the share of points that a wins.
func (t *Tuning) play(ctx context.Context, iteration int, a, b []float64) (float64, error) {
	match, env := t.Options, box.Env(t.Entry, 0, nil)
	match.Seed = t.Plan.Seed<<32 + uint64(iteration)
	env.Load = func(string) (*model.Checkpoint, error) { return t.Model, nil }
	var err error
	if match.A, err = arena.Parse(t.player(a), env); err != nil {
		return 0, err
	}
	if match.B, err = arena.Parse(t.player(b), env); err != nil {
		return 0, err
	}
	if iteration == 0 {
		match.Notice = func(text string) { fmt.Fprintln(t.Remarks, text) }
	}
	result, err := arena.Match(ctx, match)
	return result.Score(), err
}

// player returns the name of the tuned player with these values of the constants.
func (t *Tuning) player(values []float64) string {
	return t.Plan.Player + t.changes(values) + t.Plan.Budget
}

// changes formats the constants as changes in a player's name, such as
// "#cpuct=2#fpu_reduction=0.1".
func (t *Tuning) changes(values []float64) (text string) {
	for i, c := range t.Plan.Constants {
		text += "#" + c.Name + "=" + strconv.FormatFloat(values[i], 'f', -1, 64)
	}
	return text
}

// report returns a report with the constants before and after the iterations so far. After the last
// iteration, it also contains a command that plays a match between the old and the new constants.
func (t *Tuning) report(state *tune.Tuning) console.Report {
	values, after := state.Values(), map[string]float64{}
	var before []float64
	table := console.NewTable("constant", "before", "after")
	for i, c := range t.Plan.Constants {
		before = append(before, c.Start)
		after[c.Name] = values[i]
		table.Row(c.Name, c.Start, values[i])
	}
	compare := []string{"match", t.player(values), t.player(before), "--games", "1000", "--seed", strconv.FormatUint(t.Plan.Seed+1, 10)}
	line := map[string]any{"player": t.Plan.Player, "iterations": state.Done(), "games": t.Plan.Games * state.Done(), "constants": after, "compare": compare}
	text := fmt.Sprintln(table)
	if state.Done() < t.Plan.Iterations {
		line["interrupted"] = true
	} else {
		text += fmt.Sprintf("\nto check whether they are better: %s\n", console.Command(compare...))
	}
	return console.Report{Text: text, Lines: []any{line}}
}
