package cluster

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"dojo.example/selfplay"
)

// A meter counts what a worker has done, in all calls of its executors.
type meter struct {
	report func(Status) // may be nil

	mu       sync.Mutex
	status   Status          // guarded by mu
	base     selfplay.Totals // status.Totals when the current call of an executor began; guarded by mu
	reported selfplay.Totals // the simulations and evaluations of this call that were sent with results; guarded by mu
}

// begin is called before a call of an executor.
func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.base, m.reported = m.status.Totals, selfplay.Totals{}
}

// setRun sets the name of the run that the worker works for.
func (m *meter) setRun(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Run = run
}

// progress takes what the current call of the executor has done so far; see taskIO.
func (m *meter) progress(t selfplay.Totals) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Totals = m.base
	m.status.Totals.Add(t)
	if m.report != nil {
		m.report(m.status)
	}
}

// takeUnreported returns the simulations and evaluations that were made since it was last
// called.
func (m *meter) takeUnreported() selfplay.Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := selfplay.Totals{
		Simulations: m.status.Simulations - m.base.Simulations - m.reported.Simulations,
		Evaluations: m.status.Evaluations - m.base.Evaluations - m.reported.Evaluations,
	}
	m.reported.Add(fresh)
	return fresh
}

// countTask counts a task whose result was sent.
func (m *meter) countTask() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Tasks++
}

// totals is what the worker has done in all.
func (m *meter) totals() selfplay.Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status.Totals
}

// logProgress returns a function that logs what a worker has done, at most every ten seconds.
func logProgress(log *slog.Logger) func(Status) {
	const interval = 10 * time.Second
	told, games := time.Now(), 0
	return func(s Status) {
		took := time.Since(told)
		if took < interval {
			return
		}
		speed := fmt.Sprintf("%.1f", float64(s.Games-games)/took.Seconds())
		log.Info("working", "run", s.Run, "tasks", s.Tasks, "games", s.Games, "positions", s.Positions, "games_per_second", speed)
		told, games = time.Now(), s.Games
	}
}
