package cluster

import (
	"sync"

	"dojo/selfplay"
)

// A meter counts what a worker does.
type meter struct {
	report func(Status) // may be nil

	mu     sync.Mutex
	status Status          // guarded by mu
	before selfplay.Totals // in status when the compute at work began; guarded by mu
	told   selfplay.Totals // simulations and evaluations in the results that it gave; guarded by mu
}

// begin begins to count what a compute does.
func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before, m.told = m.status.Totals, selfplay.Totals{}
}

// joined notes which run the worker works for.
func (m *meter) joined(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Run = run
}

// played takes what the compute has done so far; see bench.
func (m *meter) played(t selfplay.Totals) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Totals = m.before
	m.status.Totals.Add(t)
	if m.report != nil {
		m.report(m.status)
	}
}

// unsent returns the simulations and evaluations since it was last called.
func (m *meter) unsent() selfplay.Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := selfplay.Totals{
		Simulations: m.status.Simulations - m.before.Simulations - m.told.Simulations,
		Evaluations: m.status.Evaluations - m.before.Evaluations - m.told.Evaluations,
	}
	m.told.Add(fresh)
	return fresh
}

// sent counts a task.
func (m *meter) sent() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Tasks++
}

// totals is all that the worker has done.
func (m *meter) totals() selfplay.Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status.Totals
}
