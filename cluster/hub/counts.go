package hub

import (
	"dojo.example/cluster/wire"
	"dojo.example/selfplay"
)

// maxClaim is the most simulations or evaluations that one claim can add, so that sums of many
// claims do not overflow.
const maxClaim = 1 << 40

// claimed converts a claim to totals. Negative numbers count as 0, and larger numbers than maxClaim
// as maxClaim.
func claimed(c wire.Claim) selfplay.Totals {
	return selfplay.Totals{Simulations: min(max(0, c.Simulations), maxClaim), Evaluations: min(max(0, c.Evaluations), maxClaim)}
}

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

// total returns what this process and all workers have done so far.
func (d *dispatch) total() selfplay.Totals {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts.total()
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

// finished notes that who, a worker or audit.Trainer, has delivered a valid result with the totals t.
// isNew says whether it is the first result of its task. Only the first result counts.
func (d *dispatch) finished(number int, who string, isNew bool, t selfplay.Totals) {
	for _, other := range d.leases.ends(number, who, true, isNew) {
		d.hub.noteOutrun(other)
	}
	if isNew {
		d.count(func(c *counts) { c.stored.Add(t) })
	}
	d.news.Give()
}
