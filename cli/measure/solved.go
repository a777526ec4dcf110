package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"dojo.example/arena"
	"dojo.example/data/rundir"
	"dojo.example/games/box"
	"dojo.example/internal/console"
	"dojo.example/search/think"
)

// SolvedResult is a player's result on a set of solved positions.
type SolvedResult struct {
	Model string `json:"model"` // name of the model, or of another player
	// Simulations is the limit of the search per position, or 0 if the search was limited by time.
	Simulations int `json:"simulations,omitempty"`
	// TimeMS is the time limit of the search per position in milliseconds, or 0 if the search was
	// limited by simulations.
	TimeMS  float64 `json:"time_ms,omitempty"`
	Solved  string  `json:"solved"`  // path of the file with the positions
	Skipped int     `json:"skipped"` // positions not counted; see arena.ReadProblems
	arena.Tally
	Mistakes
	ByPlies []arena.PliesTally `json:"by_plies"`
}

// Mistakes counts the moves that give away the best result. It also counts positions in which no
// move can be a mistake, because many publications do. Scripts read its JSON form, so keep the
// keys.
type Mistakes struct {
	Known        int     `json:"known"`         // positions in which the value of each action is known
	Mistakes     int     `json:"mistakes"`      // positions in which the player's action does not keep the value
	MistakeShare float64 `json:"mistake_share"` // Mistakes / Known
	// MistakeLow and MistakeHigh bound the 95 % confidence interval of MistakeShare.
	MistakeLow  float64 `json:"mistake_low"`
	MistakeHigh float64 `json:"mistake_high"`
}

// mistakes counts the mistakes in a set of positions.
func mistakes(set arena.ProblemSet, t arena.Tally) Mistakes {
	m := Mistakes{Known: t.Positions + set.Even, Mistakes: t.Positions - t.Kept}
	m.MistakeShare, m.MistakeLow, m.MistakeHigh = arena.Share(m.Mistakes, m.Known)
	return m
}

func (m Mistakes) String() string {
	return fmt.Sprintf("mistakes: %d in all %d positions with known values (%s, 95 %% interval %s to %s)",
		m.Mistakes, m.Known, console.Percent(m.MistakeShare), console.Percent(m.MistakeLow), console.Percent(m.MistakeHigh))
}

// Solved asks a player for its action in each position of a file, and reports the result. If folder
// is not "", it also stores the result in that run's folder.
func (e *Evaluation) Solved(ctx context.Context, player arena.Contestant, file string, folder rundir.Folder) error {
	r, err := e.solved(ctx, player, file, folder)
	if err != nil {
		return err
	}
	table := console.NewTable("best play", "positions", "kept", "share", "wins", "thrown away")
	r.row(table, "all", r.Tally)
	for _, t := range r.ByPlies {
		name := t.Plies
		if name[0] <= '9' {
			name = "won in " + name + " plies"
		}
		r.row(table, name, t.Tally)
	}
	text := fmt.Sprintf("%s, %s: the value is kept in %d of %d positions (%s)\n%s%v\n%s\n",
		e.Game.Name, player.Player, r.Kept, r.Positions, console.Percent(r.Share), skipped(r.Skipped), r.Mistakes, table)
	return e.Each(console.Report{Text: text, Lines: []any{r}})
}

// SolvedByGenerations chooses count of the run's models, evenly spaced over its generations, and
// asks each for its action in every position of a file. It reports the results and stores them in
// the run's folder.
func (e *Evaluation) SolvedByGenerations(ctx context.Context, folder rundir.Folder, count int, b think.Budget, file string) error {
	names, err := spaced(folder, count)
	if err != nil {
		return err
	}
	table := console.NewTable("model", "positions", "kept", "share", "wins", "thrown away")
	var last SolvedResult
	for _, name := range names {
		c, err := box.Open(folder.Model(name))
		if err != nil {
			return err
		}
		player, err := arena.Model(e.Entry.Game, folder.Model(name), c, b)
		if err != nil {
			return err
		}
		if last, err = e.solved(ctx, player, file, folder); err != nil {
			return err
		}
		if err := e.Each(console.Report{Lines: []any{last}}); err != nil {
			return err
		}
		last.row(table, name, last.Tally)
	}
	return e.Each(console.Report{Text: fmt.Sprintf("%s, %s\n%s%s\n", e.Game.Name, last.budget(), skipped(last.Skipped), table)})
}

// skipped returns a line with the number of skipped positions, or "" if there were none.
func skipped(positions int) string {
	if positions == 0 {
		return ""
	}
	return fmt.Sprintf("%d positions skipped: the choice does not matter, or a value is unknown\n", positions)
}

// solved asks a player for its action in each position of the file at path.
func (e *Evaluation) solved(ctx context.Context, player arena.Contestant, path string, folder rundir.Folder) (r SolvedResult, err error) {
	r = SolvedResult{Model: player.Player, Solved: path}
	if c := player.Checkpoint; c != nil {
		r.Model, r.Simulations, r.TimeMS = c.Name+player.Changes, player.Budget.Visits, player.Budget.Time.Seconds()*1000
	}
	file, err := console.OpenInput(ctx, path)
	if err != nil {
		return r, fmt.Errorf("solved positions: %w", err)
	}
	defer file.Close() // the file was only read, so errors do not matter
	set, err := arena.ReadProblems(ctx, e.Game, path, file, e.judge(ctx, path))
	if err != nil {
		return r, err
	}
	problems := set.Problems
	progress := console.NewBar(e.Remarks, len(problems), "solved positions")
	kept, err := arena.Answer(ctx, problems, player, e.Workers, func(done int) { progress.Set(done, "") })
	progress.Clear()
	if err != nil {
		return r, err
	}
	r.Skipped = set.Skipped()
	r.Tally, r.ByPlies = arena.Count(problems, kept)
	r.Mistakes = mistakes(set, r.Tally)
	if folder == "" {
		return r, nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	return r, folder.AddSolved(ctx, line)
}

// budget describes the limit of the search per position.
func (r SolvedResult) budget() string {
	if r.Simulations > 0 {
		return fmt.Sprintf("simulations: %d", r.Simulations)
	}
	return time.Duration(r.TimeMS * float64(time.Millisecond)).String()
}

// row adds a player's result to a table.
func (SolvedResult) row(table console.Table, name string, t arena.Tally) {
	table.Row(name, t.Positions, t.Kept, console.Percent(t.Share), t.Wins, t.Thrown)
}
