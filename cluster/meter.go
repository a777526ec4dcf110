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
	report func(Status)

	mu     sync.Mutex
	status Status          // guarded by mu
	call   selfplay.Totals // of the current call of an executor; guarded by mu
	unsent selfplay.Totals // what no result has reported yet; guarded by mu
}

// begin is called before a call of an executor for the run of a name.
func (m *meter) begin(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Run, m.call = run, selfplay.Totals{}
}

// progress takes what the current call of the executor has done so far; see taskIO.
func (m *meter) progress(t selfplay.Totals) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unsent.Add(t.Minus(m.call))
	m.status.Totals.Add(t.Minus(m.call))
	m.call = t
	m.report(m.status)
}

// countTask counts a task whose result was sent.
func (m *meter) countTask() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Tasks++
}

// take returns what no result has reported yet.
func (m *meter) take() selfplay.Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.unsent
	m.unsent = selfplay.Totals{}
	return t
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
