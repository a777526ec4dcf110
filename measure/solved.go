package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"dojo.example/arena"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/model"
	"dojo.example/models"
	"dojo.example/run"
	"dojo.example/think"
)

// Solved is which positions of known value are put to a player.
type Solved struct {
	File string
	Time time.Duration // of a model for each position, in place of simulations
}

// SolvedResult is what is printed as JSON of solved positions.
type SolvedResult struct {
	Model       string  `json:"model"`                 // or the player's name
	Simulations int     `json:"simulations,omitempty"` // of a model by simulations
	TimeMS      float64 `json:"time_ms,omitempty"`     // of a model by time
	Solved      string  `json:"solved"`                // the file
	Skipped     int     `json:"skipped"`
	arena.Tally
	ByMen   []arena.MenTally   `json:"by_men,omitempty"`
	ByPlies []arena.PliesTally `json:"by_plies"`
}

// SolvedByModel lets the model play in the positions, and adds the result to the folder of its
// run unless that is "".
func (e *Evaluation) SolvedByModel(ctx context.Context, opt Solved, folder run.Folder) error {
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
func keepSolved(ctx context.Context, folder run.Folder, r SolvedResult) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return folder.AddSolved(ctx, line)
}

// modelAnswers has the model answer the positions.
func (e *Evaluation) modelAnswers(ctx context.Context, opt Solved) (SolvedResult, error) {
	budget := think.Budget{Visits: e.Simulations}
	if opt.Time > 0 {
		budget = think.Budget{Time: opt.Time}
	}
	player := arena.MCTS(e.Game.Game, e.Model, budget)
	return e.answer(ctx, player, SolvedResult{
		Model: e.Name, Simulations: budget.Visits, TimeMS: opt.Time.Seconds() * 1000, Solved: opt.File,
	})
}

// SolvedByGenerations puts the positions to models of a run, evenly spaced over its
// generations, and keeps what came out in its folder.
func (e *Evaluation) SolvedByGenerations(ctx context.Context, folder run.Folder, count int, opt Solved) error {
	names, err := spaced(folder, count)
	if err != nil {
		return err
	}
	table := console.NewTable("model", "positions", "kept", "share", "wins", "thrown away")
	var last SolvedResult
	for _, name := range names {
		c, err := models.Open(folder.Model(name))
		if err != nil {
			return err
		}
		if e.Game, err = games.ByName(c.Game); err != nil {
			return err
		}
		if e.Model, err = think.Model(c, model.Best); err != nil {
			return err
		}
		e.Name = name
		if last, err = e.modelAnswers(ctx, opt); err != nil {
			return err
		}
		if err := keepSolved(ctx, folder, last); err != nil {
			return err
		}
		if e.Output.JSON {
			if err := e.Output.PrintJSON(last); err != nil {
				return err
			}
		}
		table.Row(name, last.Positions, last.Kept, console.Percent(last.Share), last.Wins, last.Thrown)
	}
	if e.Output.JSON {
		return nil
	}
	_, err = fmt.Fprintf(e.Output.Out, "%s, %s\n%s%s\n", e.Game.Name, last.budget(), skipped(last.Skipped), table)
	return err
}

// skipped is a line about positions that were skipped; "" for none.
func skipped(positions int) string {
	if positions == 0 {
		return ""
	}
	return fmt.Sprintf("%d positions skipped: the choice does not matter or values are not known\n", positions)
}

// SolvedBy puts the positions in a file to the named player.
func (e *Evaluation) SolvedBy(ctx context.Context, player, file string) error {
	maker, name, err := arena.Parse(player, models.Env(e.Game, e.Simulations, nil))
	if err != nil {
		return err
	}
	r, err := e.answer(ctx, maker, SolvedResult{Model: name, Solved: file})
	if err != nil {
		return err
	}
	return e.showSolved(r)
}

// answer has a player answer the positions and completes the result.
func (e *Evaluation) answer(ctx context.Context, player arena.Maker, r SolvedResult) (SolvedResult, error) {
	file, err := console.OpenInput(ctx, r.Solved)
	if err != nil {
		return r, fmt.Errorf("solved positions: %w", err)
	}
	defer file.Close() // it is only read
	problems, skipped, err := arena.ReadProblems(ctx, e.Game.Game.Game, r.Solved, file)
	if err != nil {
		return r, err
	}
	progress := console.NewBar(e.Output.Err, len(problems), "solved positions")
	kept, err := arena.Answer(ctx, problems, arena.Solving{
		Player:   player,
		Workers:  e.Workers,
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
func (r SolvedResult) budget() string {
	if r.Simulations > 0 {
		return fmt.Sprintf("simulations: %d", r.Simulations)
	}
	return time.Duration(r.TimeMS * float64(time.Millisecond)).String()
}

// showSolved prints the result.
func (e *Evaluation) showSolved(r SolvedResult) error {
	if e.Output.JSON {
		return e.Output.PrintJSON(r)
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
	_, err := fmt.Fprintf(e.Output.Out, "%s, %s: the value is kept in %d of %d positions (%s)\n%s%s\n",
		e.Game.Name, name, r.Kept, r.Positions, console.Percent(r.Share), skipped(r.Skipped), table)
	return err
}
