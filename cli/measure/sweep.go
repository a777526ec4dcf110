package measure

import (
	"context"
	"fmt"
	"io"
	"time"

	"dojo.example/cli/sweep"
	"dojo.example/cluster/hub"
	"dojo.example/internal/console"
)

// Sweep starts or continues a sweep, shows its progress on log, and returns the report. If hub is
// not nil, workers that join it do some of the work.
func Sweep(ctx context.Context, log io.Writer, hub *hub.Hub, opt sweep.Options) (console.Report, error) {
	var progress *console.Bar
	defer func() { progress.Clear() }()
	start := time.Now()
	opt.Progress = func(what string, total int) func(int) {
		progress.Clear()
		fmt.Fprintf(log, "%7s  %s\n", console.Brief(time.Since(start)), what)
		progress = console.NewBar(log, total, what)
		return func(done int) { progress.Set(done, "") }
	}
	if hub != nil {
		opt.Attach, opt.Source = hub.Attach, hub.PlayMatch
	}
	report, err := sweep.Run(ctx, opt)
	if err != nil {
		return console.Report{}, err
	}
	progress.Clear()
	return sweepReport(opt.File, report), nil
}

// armWidth is the number of characters that tables show of an arm's name. (An arm is one of the
// compared configurations.)
const armWidth = 12

// sweepReport returns the report on a sweep: the compared configurations (arms), the differences
// between every pair of them, and the learning curves.
func sweepReport(file sweep.File, r sweep.Report) (out console.Report) {
	equal, timed := fmt.Sprintf("at %d simulations", file.Simulations), fmt.Sprintf("at %v", file.MoveTime)
	name := func(arm string) string { return console.Ending(arm, armWidth) }
	out.Text = fmt.Sprintf("%s: %v CPU time per run, %d seeds; Elo relative to %s\n\n", r.Arms[0].Game, file.Budget, file.Seeds, name(r.Arms[0].Arm))
	arms := console.NewTable("arm", "gen.", "CPU", equal, "s.d.", timed, "s.d.")
	curves := console.NewTable("arm", "CPU", equal, "s.d.")
	for _, x := range r.Arms {
		out.Lines = append(out.Lines, x)
		arms.Row(name(x.Arm), x.Generations, seconds(x.Used), estimated(x.Equal.Estimate), deviating(x.Equal.Estimate), estimated(x.Timed.Estimate), deviating(x.Timed.Estimate))
		for _, p := range x.Curve {
			curves.Row(name(x.Arm), seconds(p.Used), estimated(p.Estimate), deviating(p.Estimate))
		}
	}
	out.Text += fmt.Sprintln(arms)
	if len(r.Pairs) > 0 {
		pairs := console.NewTable("arm", "against", equal, timed)
		for _, x := range r.Pairs {
			out.Lines = append(out.Lines, x)
			pairs.Row(name(x.A), name(x.B), estimated(x.Equal), estimated(x.Timed))
		}
		out.Text += fmt.Sprintf("\n%s\n", pairs)
	}
	reference := console.Ending(file.Reference, 30)
	if reference == "" {
		reference = name(r.Arms[0].Arm) + ", seed 1 (final model)"
	}
	out.Text += fmt.Sprintf("\nElo against %s, by CPU time\n\n%s\n", reference, curves)
	return out
}

// seconds formats a time in seconds for a table.
func seconds(s float64) string { return console.Brief(time.Duration(s * float64(time.Second))) }

// estimated formats an estimate, which is a mean Elo rating over seeds, with its confidence
// interval.
func estimated(e sweep.Estimate) string { return console.Elo(e.Elo, e.Low, e.High) }

// deviating formats the standard deviation over the seeds.
func deviating(e sweep.Estimate) string { return fmt.Sprintf("%.0f", e.Spread) }
