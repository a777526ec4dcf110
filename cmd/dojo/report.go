package main

import (
	"fmt"
	"time"

	"dojo/train"
)

// report shows a run on stderr: a bar a stage on a terminal, and a line a
// generation everywhere.
type report struct {
	app   *app
	start time.Time
	last  int // generations that the run is to have
	bar   *bar
	pace  pace
}

var _ train.Reporter = (*report)(nil)

// begin heads the table of generations.
func (r *report) begin(opt train.Options, done int) {
	fmt.Fprintf(r.app.stderr, "%s into %s: %d of %d generations done\n", opt.Game.Name, opt.Folder, done, r.last)
	cores := "1 core"
	if opt.Workers != 1 {
		cores = fmt.Sprintf("%d cores", opt.Workers)
	}
	fmt.Fprintf(r.app.stderr, "%s, %d simulations a move, on %s\n", opt.Network.Sizes(), opt.Search.Simulations, cores)
	fmt.Fprintln(r.app.stderr, generationsHeader())
	r.pace.since = r.start
}

// Stage begins a bar; see train.Reporter.
func (r *report) Stage(generation int, stage string, total int) func(int, string) {
	r.clear()
	what := fmt.Sprintf("%d/%d %s", generation+1, r.last, stage)
	if left, ok := r.pace.left(r.last - generation); ok {
		what += ", " + brief(left) + " left"
	}
	r.bar = r.app.newBar(total, what)
	return r.bar.set
}

// clear removes the bar.
func (r *report) clear() {
	if r.bar != nil {
		r.bar.clear()
		r.bar = nil
	}
}

// Generation prints a generation's line; see train.Reporter.
func (r *report) Generation(m train.Metrics) {
	r.clear()
	r.pace.ended(time.Now())
	fmt.Fprintln(r.app.stderr, generationsRow(m, m.Generation+1, r.last, &r.pace))
}
