package terminal

import (
	"context"
	"fmt"

	"dojo.example/analysis"
	"dojo.example/internal/console"
	"dojo.example/play"
	"dojo.example/think"
)

// Review reviews a game and prints its actions, below a title: for people as a table with a
// summary.
func Review(ctx context.Context, o console.Output, x *analysis.Analyser, record play.Game, b think.Budget, title string) error {
	table := play.NewReviewTable(record)
	if !o.JSON {
		fmt.Fprintf(o.Out, "%s\n%s\n", title, table.Header())
	}
	progress := console.NewBar(o.Err, len(record.Actions), "reviewing")
	err := x.Review(ctx, record.Positions, record.Actions, b, func(r analysis.Reviewed) error {
		progress.Clear()
		defer progress.Set(r.Ply, "")
		if o.JSON {
			return o.PrintJSON(r)
		}
		_, err := fmt.Fprintln(o.Out, table.Line(r))
		return err
	})
	progress.Clear()
	if err == nil && !o.JSON {
		_, err = fmt.Fprint(o.Out, table.Summary())
	}
	return err
}
