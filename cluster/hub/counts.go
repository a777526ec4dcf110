package hub

import (
	"fmt"

	"dojo.example/selfplay"
)

// maxClaim limits the number of simulations and of evaluations that a worker can claim in one
// message, so that the sums of many claims do not overflow.
const maxClaim = 1 << 40

// counts holds the progress of a lot (a batch of tasks).
type counts struct {
	// the totals of the first result of each task; the numbers of simulations and evaluations are
	// upper bounds, because a result does not show them
	stored selfplay.Totals
	begun  selfplay.Totals // the games and positions so far of the tasks that this process is doing
	made   selfplay.Totals // the simulations and evaluations that this process has done or that workers claim
}

// total returns the work that has been done. Games and positions are counted from the results.
// Simulations and evaluations are the claimed numbers, capped at the maximum that the results can
// have required.
func (c counts) total() selfplay.Totals {
	t := c.stored
	t.Simulations, t.Evaluations = min(t.Simulations, c.made.Simulations), min(t.Evaluations, c.made.Evaluations)
	return t
}

// count updates the counts by calling change, and reports the new total.
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

// maxOutrun is the score at which the hub logs a warning about a worker that keeps its tasks too
// long. The score rises by one if somebody else completes a task that the worker holds, and falls
// by one with each new result of the worker.
const maxOutrun = 4

// finished is called when a valid result with the totals t has arrived. who is the name of the
// worker that sent it, or audit.Trainer. isNew reports whether it is the first result of its task.
// Only the first result counts.
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

// Connected returns an error if the hub has no connection to its NATS server.
func (h *Hub) Connected() error {
	if !h.conn.IsConnected() {
		return fmt.Errorf("the connection to the NATS server at %s is lost", h.Address())
	}
	return nil
}
