package sweep

import (
	"fmt"
	"math"
	"time"

	"dojo.example/configs"
	"dojo.example/train"
)

// Costs are the costs of the units of a run's work, in CPU time of all cores together.
type Costs struct {
	// Simulation is the cost of a simulation of self-play. A position counts as the
	// number of simulations in the configuration.
	Simulation time.Duration `yaml:"simulation" json:"simulation_ns"`

	// Sample is the cost of training on a sample once, including reading games and
	// publishing the candidate.
	Sample time.Duration `yaml:"sample" json:"sample_ns"`

	// Game is the cost of a game of the gate.
	Game time.Duration `yaml:"game" json:"game_ns"`

	// Play is the cost of a simulation of a player in a match. It decides how many
	// simulations a player has time for.
	Play time.Duration `yaml:"play" json:"play_ns"`
}

// each lists the costs.
func (c *Costs) each() []*time.Duration {
	return []*time.Duration{&c.Simulation, &c.Sample, &c.Game, &c.Play}
}

// least returns the lower cost of two measurements for each unit, because disturbances can
// only increase a measurement. Costs that are 0 are missing.
func (c Costs) least(d Costs) Costs {
	for i, x := range c.each() {
		if v := *d.each()[i]; v > 0 && (*x == 0 || v < *x) {
			*x = v
		}
	}
	return c
}

// work counts the units of work of one or more generations.
type work struct{ simulations, samples, games float64 }

// workOf counts the work of a committed generation.
func workOf(c configs.Config, m train.Metrics) work {
	return work{
		simulations: float64(m.Positions * c.MCTS.Simulations),
		samples:     float64(m.Fit.Steps * c.Train.Optimiser.Batch),
		games:       float64(m.Gate.Wins + m.Gate.Losses + m.Gate.Draws),
	}
}

// expected returns the work of a generation whose games have plies actions on average
// and whose gate plays all of its games.
func expected(c configs.Config, plies float64) work {
	positions := float64(c.Selfplay.Games) * plies
	return work{
		simulations: positions * float64(c.MCTS.Simulations),
		samples:     positions * c.Train.Passes,
		games:       float64(c.Gate.Games),
	}
}

// charge returns the CPU time that work costs.
func (c Costs) charge(w work) time.Duration {
	return time.Duration(float64(w.simulations*float64(c.Simulation)) + float64(w.samples*float64(c.Sample)) + float64(w.games*float64(c.Game)))
}

// generations returns the number of generations, each with work w, that comes nearest to
// the budget.
func (c Costs) generations(budget time.Duration, w work) int {
	return max(1, int(math.Round(float64(budget)/float64(c.charge(w)))))
}

// simulations returns the number of simulations that a player has time for.
func (c Costs) simulations(t time.Duration) int { return max(1, int(t/max(1, c.Play))) }

// kindOf names the kind of an arm. Arms of one kind have the same unit costs, because all settings
// that affect costs are equal. Arms that differ in the learning rate, for example, are of one kind,
// so that measurement noise does not give them different budgets.
func kindOf(c configs.Config) string {
	return fmt.Sprint(c.Game, c.Network, c.MCTS.Simulations, c.Selfplay.Lanes, c.Train.Optimiser.Batch, c.Train.Precision, c.Gate.Simulations)
}
