package measure

import (
	"context"
	"fmt"
	"time"

	"dojo.example/cli/sweep"
	"dojo.example/cluster/hub"
	"dojo.example/internal/console"
)

// Sweep does what is missing of a sweep, shows how far it is and prints what came out. Workers help
// by way of the hub, if it is not nil.
func Sweep(ctx context.Context, o console.Output, hub *hub.Hub, opt sweep.Options) error {
	var progress *console.Bar
	defer func() { progress.Clear() }()
	start := time.Now()
	opt.Progress = func(what string, total int) func(int) {
		progress.Clear()
		fmt.Fprintf(o.Err, "%7s  %s\n", console.Brief(time.Since(start)), what)
		progress = console.NewBar(o.Err, total, what)
		return func(done int) { progress.Set(done, "") }
	}
	if hub != nil {
		opt.Attach, opt.Source = hub.Attach, hub.PlayMatch
	}
	report, err := sweep.Run(ctx, opt)
	if err != nil {
		return err
	}
	progress.Clear()
	if o.JSON {
		return printSweepJSON(o, report)
	}
	printSweep(o, opt.File, report)
	return nil
}

// printSweepJSON prints a line for each arm and a line for each pair of arms.
func printSweepJSON(o console.Output, r sweep.Report) error {
	for _, x := range r.Arms {
		if err := o.PrintJSON(x); err != nil {
			return err
		}
	}
	for _, x := range r.Pairs {
		if err := o.PrintJSON(x); err != nil {
			return err
		}
	}
	return nil
}

// armWidth is how much of an arm's name a table shows.
const armWidth = 12

// printSweep prints the tables of arms, of pairs of arms and of learning curves.
func printSweep(o console.Output, file sweep.File, r sweep.Report) {
	equal, timed := fmt.Sprintf("at %d simulations", file.Simulations), fmt.Sprintf("at %v", file.MoveTime)
	name := func(arm string) string { return console.Ending(arm, armWidth) }
	fmt.Fprintf(o.Out, "%s: %v of CPU time a run, %d seeds; Elo above %s\n\n", r.Arms[0].Game, file.Budget, file.Seeds, name(r.Arms[0].Arm))
	arms := console.NewTable("arm", "gen.", "CPU", equal, "s.d.", timed, "s.d.")
	for _, x := range r.Arms {
		arms.Row(name(x.Arm), x.Generations, seconds(x.Used), estimated(x.Equal.Estimate), deviating(x.Equal.Estimate), estimated(x.Timed.Estimate), deviating(x.Timed.Estimate))
	}
	fmt.Fprintln(o.Out, arms)
	if len(r.Pairs) > 0 {
		fmt.Fprintln(o.Out)
		pairs := console.NewTable("arm", "against", equal, timed)
		for _, x := range r.Pairs {
			pairs.Row(name(x.A), name(x.B), estimated(x.Equal), estimated(x.Timed))
		}
		fmt.Fprintln(o.Out, pairs)
	}
	reference := console.Ending(file.Reference, 30)
	if reference == "" {
		reference = name(r.Arms[0].Arm) + ", seed 1, when complete"
	}
	fmt.Fprintf(o.Out, "\nElo against %s, by CPU time\n\n", reference)
	curves := console.NewTable("arm", "CPU", equal, "s.d.")
	for _, x := range r.Arms {
		for _, p := range x.Curve {
			curves.Row(name(x.Arm), seconds(p.Used), estimated(p.Estimate), deviating(p.Estimate))
		}
	}
	fmt.Fprintln(o.Out, curves)
}

// seconds is a time in seconds for a table.
func seconds(s float64) string { return console.Brief(time.Duration(s * float64(time.Second))) }

// estimated is a mean over seeds with its interval.
func estimated(e sweep.Estimate) string { return console.Elo(e.Elo, e.Low, e.High) }

// deviating is the standard deviation from seed to seed.
func deviating(e sweep.Estimate) string { return fmt.Sprintf("%.0f", e.Spread) }
