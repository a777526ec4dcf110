package cost

import (
	"time"

	"dojo.example/configs"
	"dojo.example/model"
	"dojo.example/train"
)

// A Meter measures the CPU time of each stage of a run (self-play, training, gate). The stages must
// not overlap, so the run's train.lag must be 0. A Meter is a train.Reporter.
type Meter struct {
	Config configs.Config
	Clock  func() time.Duration // returns the CPU time of the process, like cputime.Process
	Unit   func()               // called after each unit of work, such as a game; may be nil
	Done   func()               // called after each generation

	Least Units   // lowest unit costs of all generations in which a model played
	Plies float64 // mean number of actions per game in the last generation

	stage string                   // current stage; "" between stages
	since time.Duration            // value of Clock when the stage began
	spent map[string]time.Duration // CPU time of each stage in the current generation
}

var _ train.Reporter = (*Meter)(nil)

// begin ends the current stage and begins the next one.
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

// Generation computes the unit costs of a generation; see train.Reporter. If the run began without
// a model, Generation ignores the first generation, because games without a model are cheaper.
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

// Each returns the cost of one of n units that together cost d. The result is at least 1 ns, or 0
// if n is 0.
func Each(d time.Duration, n float64) time.Duration {
	if n == 0 {
		return 0
	}
	return max(1, time.Duration(float64(d)/n))
}
