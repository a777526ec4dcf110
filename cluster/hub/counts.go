package hub

import (
	"dojo.example/cluster/wire"
	"dojo.example/selfplay"
)

// maxClaim is the most that one claim counts, so that the sums of many do not overflow.
const maxClaim = 1 << 40

// claimed returns a claim as totals. What no worker can have done does not count.
func claimed(c wire.Claim) selfplay.Totals {
	return selfplay.Totals{Simulations: min(max(0, c.Simulations), maxClaim), Evaluations: min(max(0, c.Evaluations), maxClaim)}
}

// counts is what was done of a lot.
type counts struct {
	stored selfplay.Totals // what the first results of tasks have in them, and may have taken at most
	begun  selfplay.Totals // games and positions played here, of tasks that are not finished
	made   selfplay.Totals // simulations and evaluations made here, and those that workers claim
}

// total is what is done. Games and positions are those of results; simulations and evaluations are no
// more than these results can have taken.
func (c counts) total() selfplay.Totals {
	t := c.stored
	t.Simulations, t.Evaluations = min(t.Simulations, c.made.Simulations), min(t.Evaluations, c.made.Evaluations)
	return t
}

// total is what this process and all workers have done so far.
func (d *dispatch) total() selfplay.Totals {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts.total()
}

// count changes what has been done, and reports it.
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

// finished notes that a valid result has come from a worker, or from audit.Trainer, and what it has in it.
// isNew says that it is the first of its task: others count for nothing.
func (d *dispatch) finished(number int, who string, isNew bool, t selfplay.Totals) {
	for _, other := range d.leases.ends(number, who, true, isNew) {
		d.hub.noteOutrun(other)
	}
	if isNew {
		d.count(func(c *counts) { c.stored.Add(t) })
	}
	d.news.Give()
}
