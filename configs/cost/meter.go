package cost

import (
	"time"

	"dojo.example/configs"
	"dojo.example/model"
	"dojo.example/train"
)

// A Meter measures the CPU time of the stages of a run whose stages do not overlap, that is,
// whose train.lag is 0; see train.Reporter.
type Meter struct {
	Config configs.Config
	Clock  func() time.Duration // the CPU time of the process, as cputime.Process returns it
	Unit   func()               // called after each unit of a stage, such as a game; may be nil
	Done   func()               // called after each generation

	Least Units   // the lowest unit costs of generations that a model has played
	Plies float64 // actions in a game of the last generation

	stage string                   // "" between stages
	since time.Duration            // the Clock when the stage began
	spent map[string]time.Duration // of the stages of this generation
}

var _ train.Reporter = (*Meter)(nil)

// begin ends the stage before and begins the next.
func (m *Meter) begin(stage string) {
	now := m.Clock()
	if m.spent == nil {
		m.spent = map[string]time.Duration{}
	}
	m.spent[m.stage] += now - m.since
	m.stage, m.since = stage, now
}

// Stage begins a stage; see train.Reporter.
func (m *Meter) Stage(_ int, stage string, _ int) func(int, string) {
	m.begin(stage)
	return func(int, string) {
		if m.Unit != nil {
			m.Unit()
		}
	}
}

// Generation measures the unit costs of a generation; see train.Reporter. It ignores the
// first one unless the run began with a model, because it is cheaper if no model plays.
func (m *Meter) Generation(g train.Metrics) {
	m.begin("")
	if g.Generation > 0 || g.Player != model.NoModel {
		w := Of(m.Config, g)
		m.Least = m.Least.Least(Units{
			Simulation: Each(m.spent["self-play"], w.Simulations),
			Sample:     Each(m.spent["train"], w.Samples),
			Game:       Each(m.spent["gate"], w.Games),
		})
	}
	clear(m.spent)
	m.Plies = g.GameLength
	m.Done()
}

// Each returns d divided by n, and at least 1 ns; 0 if n is 0.
func Each(d time.Duration, n float64) time.Duration {
	if n == 0 {
		return 0
	}
	return max(1, time.Duration(float64(d)/n))
}
