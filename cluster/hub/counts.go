package hub

import (
	"dojo.example/selfplay"
)

// maxClaim is the most simulations or evaluations that one claim of a worker can add, so that sums
// of many claims do not overflow.
const maxClaim = 1 << 40

// counts is the progress of a lot.
type counts struct {
	stored selfplay.Totals // totals of the first result of each task, with the most simulations and evaluations that it can have taken
	begun  selfplay.Totals // games and positions of the unfinished tasks in this process
	made   selfplay.Totals // simulations and evaluations of this process, and those that workers claim
}

// total returns what has been done. Games and positions are counted from the results. Simulations
// and evaluations are limited to what these results can have taken.
func (c counts) total() selfplay.Totals {
	t := c.stored
	t.Simulations, t.Evaluations = min(t.Simulations, c.made.Simulations), min(t.Evaluations, c.made.Evaluations)
	return t
}

// count changes the counts, and reports the new total.
func (d *dispatch) count(change func(*counts)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.counts)
	if d.progress != nil {
		t := d.counts.total()
		t.Games, t.Positions = t.Games+d.counts.begun.Games, t.Positions+d.counts.begun.Positions
		d.progress(t)
	}
}

// maxOutrun limits the score of a worker that keeps its tasks too long. The score rises by one if
// somebody else completes a task that the worker holds, and falls by one with each new result of
// the worker. When the score reaches maxOutrun, the hub logs a warning.
const maxOutrun = 4

// finished notes that who, a worker or audit.Trainer, has delivered a valid result with the totals
// t. isNew says whether it is the first result of its task. Only the first result counts.
func (d *dispatch) finished(number int, who string, isNew bool, t selfplay.Totals) {
	for _, other := range d.leases.ends(number, who, true, isNew) {
		if d.hub.roster.countOutrun(other) == maxOutrun {
			d.hub.opt.Log.Warn("a worker holds its tasks so long that others complete them first", "worker", other, "tasks", maxOutrun)
		}
	}
	if isNew {
		d.count(func(c *counts) { c.stored.Add(t) })
	}
	d.news.Give()
}
