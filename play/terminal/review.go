package terminal

import (
	"context"
	"fmt"
	"io"
	"strings"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// tally counts the actions of one player, by mark and in total, and adds up their losses.
type tally struct {
	actions int
	loss    float32
	marks   map[analysis.Mark]int
}

// Review reviews a game. It passes each result to a callback, the function each, as soon as the
// result is known: first the title, then a report on each action, and last a summary. If log is a
// terminal, Review shows its progress there.
func Review(ctx context.Context, x *analysis.Analyser, record play.Game, b think.Budget, log io.Writer, each func(console.Report) error, title string) error {
	const form = "%4v  %-6s  %-*s  %6s  %-2s %6s  "
	width, sides := len("action"), map[string]*tally{}
	for i, a := range record.Actions {
		p := record.Positions[i]
		width = max(width, len(p.ActionString(a)))
		sides[p.ToMove().String()] = &tally{marks: map[analysis.Mark]int{}}
	}
	header := fmt.Sprintf("%s\n"+form+"better\n", title, "", "player", width, "action", "value", "", "loss")
	if err := each(console.Report{Text: header}); err != nil {
		return err
	}
	progress := console.NewBar(log, len(record.Actions), "reviewing")
	err := x.Review(ctx, record.Positions, record.Actions, b, func(r analysis.Reviewed) error {
		progress.Clear()
		defer progress.Set(r.Ply, "")
		side := sides[r.Player]
		side.actions++
		side.loss += r.Loss
		side.marks[r.Mark]++
		loss, better := "", ""
		if r.Mark != "" {
			loss, better = fmt.Sprintf("%.2f", r.Loss), strings.Join(r.Line, ", ")
			if r.Exact {
				loss += "!"
			}
		}
		text := fmt.Sprintf(form, r.Ply, r.Player, width, r.Move, fmt.Sprintf("%+.2f", r.Value), r.Mark, loss)
		return each(console.Report{Text: fmt.Sprintln(bounded.Fit(text, better)), Lines: []any{r}})
	})
	progress.Clear()
	if err != nil {
		return err
	}
	summary := "\n"
	for _, p := range []engine.Player{engine.First, engine.Second} {
		if side := sides[p.String()]; side != nil {
			summary += fmt.Sprintf("%-6s  ?? %d, ? %d, ?! %d in %d actions; mean loss %.3f\n",
				p, side.marks["??"], side.marks["?"], side.marks["?!"], side.actions, side.loss/float32(side.actions))
		}
	}
	return each(console.Report{Text: summary})
}
