package cluster

import (
	"sync"

	"dojo/selfplay"
)

// A meter counts what a worker does during one call of a compute.
type meter struct {
	report func(Status)

	mu     sync.Mutex
	status *Status         // of the worker; guarded by mu
	before selfplay.Totals // in status before this call
	told   selfplay.Totals // of this call, in results that were made; guarded by mu
}

// begin starts to count.
func (m *meter) begin() { m.before = m.status.Totals }

// played takes the totals of the call so far; see bench.
func (m *meter) played(t selfplay.Totals) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Totals = m.before
	m.status.Totals.Add(t)
	if m.report != nil {
		m.report(*m.status)
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
