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
}

var _ train.Reporter = (*report)(nil)

// begin heads the table of generations.
func (r *report) begin(opt train.Options, done int) {
	n := opt.Network
	fmt.Fprintf(r.app.stderr, "%s into %s: %d of %d generations done; %d channels × %d blocks, %d simulations a move, %d workers\n",
		opt.Game.Name, opt.Folder, done, opt.Train.Generations, n.Channels, n.Blocks, opt.Search.Simulations, opt.Workers)
	fmt.Fprintf(r.app.stderr, "%9s %6s %6s %6s %8s %7s %7s %7s  %-26s %s\n",
		"done", "games", "length", "first", "games/s", "policy", "value", "error", "gate", "elapsed")
}

// Stage begins a bar; see train.Reporter.
func (r *report) Stage(generation int, stage string, total int) func(int, string) {
	r.clear()
	r.bar = r.app.newBar(total, fmt.Sprintf("%d/%d %s", generation+1, r.last, stage))
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
	verdict := "kept"
	if m.Gate.Promoted {
		verdict = "promoted"
	}
	fmt.Fprintf(r.app.stderr, "%9s %6d %6.1f %5.1f%% %8s %7.3f %7.3f %7.3f  %-26s %s\n",
		fmt.Sprintf("%d/%d", m.Generation+1, r.last), m.Games, m.GameLength, 100*m.FirstWins, speed(m.GamesPerSecond),
		m.Fit.PolicyLoss, m.Fit.ValueLoss, m.Fit.ValueError,
		fmt.Sprintf("+%d −%d =%d %s", m.Gate.Wins, m.Gate.Losses, m.Gate.Draws, verdict),
		time.Since(r.start).Round(time.Second))
}

// speed is a rate of self-play; a generation whose games were played before
// has none.
func speed(rate float64) string {
	if rate == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", rate)
}
