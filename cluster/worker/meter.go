package worker

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/selfplay"
)

// A meter counts how much a worker has done.
type meter struct {
	report func(Status)

	mu     sync.Mutex
	status Status     // what the worker has done so far; guarded by mu
	unsent wire.Claim // the simulations and evaluations since the last claim; guarded by mu
}

// add adds work that the worker has done for the run with the given name.
func (m *meter) add(run string, t selfplay.Totals) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.status.Run != run { // a claim is for one run
		m.unsent = wire.Claim{}
	}
	m.status.Run = run
	m.status.Totals.Add(t)
	m.unsent.Simulations += t.Simulations
	m.unsent.Evaluations += t.Evaluations
	m.report(m.status)
}

// take counts a task whose result is about to be sent. It returns the claim for this result: the
// simulations and evaluations since the last claim.
func (m *meter) take() wire.Claim {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.unsent
	m.unsent = wire.Claim{}
	m.status.Tasks++
	m.report(m.status)
	return t
}

// logProgress returns a function that logs what a worker has done, at most once every ten seconds.
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
