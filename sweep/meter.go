package sweep

import (
	"time"

	"dojo.example/configs"
	"dojo.example/internal/cputime"
	"dojo.example/train"
)

// A meter measures the CPU time of the stages of a run; see train.Reporter.
type meter struct {
	config configs.Config
	done   func() // called after each generation

	stage string                   // "" between stages
	since time.Duration            // CPU time of the process when the stage began
	spent map[string]time.Duration // of the stages of this generation
	least Costs                    // the lowest unit costs of generations that a model has played
	plies float64                  // actions in a game of the last generation
}

var _ train.Reporter = (*meter)(nil)

func newMeter(c configs.Config, done func()) *meter {
	return &meter{config: c, done: done, spent: map[string]time.Duration{}}
}

// begin ends the stage before and begins the next.
func (m *meter) begin(stage string) {
	now := cputime.Process()
	m.spent[m.stage] += now - m.since
	m.stage, m.since = stage, now
}

// Stage begins a stage; see train.Reporter.
func (m *meter) Stage(_ int, stage string, _ int) func(int, string) {
	m.begin(stage)
	return func(int, string) {}
}

// Generation measures the unit costs of a generation; see train.Reporter. It ignores the
// first one, which is cheaper because no model plays.
func (m *meter) Generation(g train.Metrics) {
	m.begin("")
	if g.Generation > 0 {
		w := workOf(m.config, g)
		m.least = m.least.least(Costs{
			Simulation: each(m.spent["self-play"], w.simulations),
			Sample:     each(m.spent["train"], w.samples),
			Game:       each(m.spent["gate"], w.games),
		})
	}
	clear(m.spent)
	m.plies = g.GameLength
	m.done()
}

// each returns d divided by n.
func each(d time.Duration, n float64) time.Duration {
	if n == 0 {
		return 0
	}
	return max(1, time.Duration(float64(d)/n))
}
