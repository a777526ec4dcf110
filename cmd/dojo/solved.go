package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"dojo/arena"
	"dojo/games"
	"dojo/internal/console"
	"dojo/internal/flags"
	"dojo/model"
	"dojo/models"
	"dojo/run"
	"dojo/think"

	"github.com/spf13/cobra"
)

// solvedOptions is what the command line tells evaluate of solved positions.
type solvedOptions struct {
	file string
	time time.Duration // of a model for each position, in place of simulations
}

func (o *solvedOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.file, "solved", "", "a file of positions of known value (.jsonl or .jsonl.gz)")
	flags.Time(cmd.Flags(), &o.time, "time", 0, "time of the model for each of them, such as 30ms, in place of --simulations")
	cmd.MarkFlagsMutuallyExclusive("time", "simulations")
}

// check reports values that make no sense.
func (o *solvedOptions) check() error {
	if o.file == "" && o.time > 0 {
		return usagef("--time is for --solved FILE")
	}
	return nil
}

// solvedResult is what evaluate --solved prints as JSON.
type solvedResult struct {
	Model       string  `json:"model"`                 // or the player's name
	Simulations int     `json:"simulations,omitempty"` // of a model by simulations
	TimeMS      float64 `json:"time_ms,omitempty"`     // of a model by time
	Solved      string  `json:"solved"`                // the file
	Skipped     int     `json:"skipped"`
	arena.Tally
	ByMen   []arena.MenTally   `json:"by_men,omitempty"`
	ByPlies []arena.PliesTally `json:"by_plies"`
}

// solvedByModel puts the positions to the model, and keeps what came out in the folder of
// its run; "" if it has none.
func (e *evaluation) solvedByModel(ctx context.Context, opt solvedOptions, folder run.Folder) error {
	r, err := e.modelAnswers(ctx, opt)
	if err == nil && folder != "" {
		err = keepSolved(ctx, folder, r)
	}
	if err != nil {
		return err
	}
	return e.showSolved(r)
}

// keepSolved adds a result to those of a run.
func keepSolved(ctx context.Context, folder run.Folder, r solvedResult) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return folder.AddSolved(ctx, line)
}

// modelAnswers has the model answer the positions.
func (e *evaluation) modelAnswers(ctx context.Context, opt solvedOptions) (solvedResult, error) {
	budget := think.Budget{Visits: e.opt.simulations}
	if opt.time > 0 {
		budget = think.Budget{Time: opt.time}
	}
	player := arena.MCTS(e.game.Game, e.model, budget)
	return e.answer(ctx, player, solvedResult{
		Model: e.name, Simulations: budget.Visits, TimeMS: opt.time.Seconds() * 1000, Solved: opt.file,
	})
}

// answersIn is the run whose dashboard shows how the model that args name answers; "" if it
// is no model of a run, or plays in floats, which its dashboard does not tell apart.
func answersIn(args []string, c *model.Checkpoint) run.Folder {
	if len(args) == 0 {
		return ""
	}
	path, err := models.Path(args[0])
	if err != nil || strings.HasSuffix(args[0], arena.InFloats) {
		return ""
	}
	folder := run.Of(path)
	if _, err := folder.Config(); err != nil || filepath.Clean(path) != folder.Model(c.Name) {
		return ""
	}
	return folder
}

// solvedByGenerations puts the positions to models of a run, evenly spaced over its
// generations, and keeps what came out in its folder.
func (e *evaluation) solvedByGenerations(ctx context.Context, args []string, count int, opt solvedOptions) error {
	if err := isRun(args); err != nil {
		return err
	}
	folder := run.Folder(args[0])
	names, err := spaced(folder, count)
	if err != nil {
		return err
	}
	table := console.NewTable("model", "positions", "kept", "share", "wins", "thrown away")
	var last solvedResult
	for _, name := range names {
		c, err := models.Open(folder.Model(name))
		if err != nil {
			return err
		}
		if e.game, err = games.ByName(c.Game); err != nil {
			return err
		}
		if e.model, err = think.Model(c, model.Best); err != nil {
			return err
		}
		e.name = name
		if last, err = e.modelAnswers(ctx, opt); err != nil {
			return err
		}
		if err := keepSolved(ctx, folder, last); err != nil {
			return err
		}
		if e.json {
			if err := e.app.printJSON(last); err != nil {
				return err
			}
		}
		table.Row(name, last.Positions, last.Kept, console.Percent(last.Share), last.Wins, last.Thrown)
	}
	if e.json {
		return nil
	}
	_, err = fmt.Fprintf(e.app.stdout, "%s, %s\n%s%s\n", e.game.Name, last.budget(), skipped(last.Skipped), table)
	return err
}

// skipped is a line about positions that were skipped; "" for none.
func skipped(positions int) string {
	if positions == 0 {
		return ""
	}
	return fmt.Sprintf("%d positions skipped: the choice does not matter or values are not known\n", positions)
}

// solvedBy puts the positions to any player.
func (e *evaluation) solvedBy(ctx context.Context, opt *evaluateOptions) (err error) {
	if e.game, err = gameOf(opt.game, opt.player); err != nil {
		return err
	}
	player, name, err := arena.Parse(opt.player, models.Env(e.game, e.opt.simulations, nil))
	if err != nil {
		return err
	}
	r, err := e.answer(ctx, player, solvedResult{Model: name, Solved: opt.solved.file})
	if err != nil {
		return err
	}
	return e.showSolved(r)
}

// answer has a player answer the positions and completes the result.
func (e *evaluation) answer(ctx context.Context, player arena.Maker, r solvedResult) (solvedResult, error) {
	file, err := console.OpenInput(ctx, r.Solved)
	if err != nil {
		return r, fmt.Errorf("solved positions: %w", err)
	}
	defer file.Close() // it is only read
	problems, skipped, err := arena.ReadProblems(ctx, e.game.Game.Game, r.Solved, file)
	if err != nil {
		return r, err
	}
	progress := console.NewBar(e.app.stderr, len(problems), "solved positions")
	kept, err := arena.Answer(ctx, problems, arena.Solving{
		Player:   player,
		Workers:  e.opt.workers,
		Progress: func(done int) { progress.Set(done, "") },
	})
	progress.Clear()
	if err != nil {
		return r, err
	}
	r.Skipped, r.Tally = skipped, arena.Total(problems, kept)
	r.ByMen, r.ByPlies = arena.ByMen(problems, kept), arena.ByPlies(problems, kept)
	return r, nil
}

// budget says how long a model could think.
func (r solvedResult) budget() string {
	if r.Simulations > 0 {
		return fmt.Sprintf("simulations: %d", r.Simulations)
	}
	return time.Duration(r.TimeMS * float64(time.Millisecond)).String()
}

// showSolved prints the result.
func (e *evaluation) showSolved(r solvedResult) error {
	if e.json {
		return e.app.printJSON(r)
	}
	name := r.Model
	switch {
	case r.Simulations > 0:
		name = fmt.Sprintf("%s:%d", name, r.Simulations)
	case r.TimeMS > 0:
		name += "@" + r.budget()
	}
	table := console.NewTable("", "positions", "kept", "share", "wins", "thrown away")
	row := func(name string, t arena.Tally) {
		table.Row(name, t.Positions, t.Kept, console.Percent(t.Share), t.Wins, t.Thrown)
	}
	row("all", r.Tally)
	for _, t := range r.ByMen {
		row(fmt.Sprintf("%d men", t.Men), t.Tally)
	}
	for _, t := range r.ByPlies {
		row(t.Plies+map[bool]string{true: " plies"}[t.Plies != "draw"], t.Tally)
	}
	_, err := fmt.Fprintf(e.app.stdout, "%s, %s: the value is kept in %d of %d positions (%s)\n%s%s\n",
		e.game.Name, name, r.Kept, r.Positions, console.Percent(r.Share), skipped(r.Skipped), table)
	return err
}
