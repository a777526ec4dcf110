// Package cost predicts how long a run takes from the processor time that short runs take. A
// [Meter] watches a run and finds its [Units]: what a simulation, a training sample and a game of
// the gate cost. [Units.Charge] multiplies them with the [Work] of other runs. Processor time
// counts all cores of this process and nothing else, so that a busy machine gives about the
// same costs as a quiet one.
package cost

import (
	"math"
	"time"

	"dojo.example/configs"
	"dojo.example/train"
)

// Units are the costs of the units of a run's work, in CPU time of all cores together.
type Units struct {
	// Simulation is the cost of a simulation of self-play. A position counts as the
	// number of simulations in the configuration.
	Simulation time.Duration `yaml:"simulation" json:"simulation_ns"`

	// Sample is the cost of training on a sample once, including reading games and
	// publishing the candidate.
	Sample time.Duration `yaml:"sample" json:"sample_ns"`

	// Game is the cost of a game of the gate.
	Game time.Duration `yaml:"game" json:"game_ns"`

	// Play is the cost of a simulation of a player in a match. It decides how many
	// simulations a player has time for. A Meter does not measure it.
	Play time.Duration `yaml:"play" json:"play_ns"`
}

// each lists the costs.
func (c *Units) each() []*time.Duration {
	return []*time.Duration{&c.Simulation, &c.Sample, &c.Game, &c.Play}
}

// Least returns the lower cost of two measurements for each unit, because disturbances can
// only increase a measurement. Costs that are 0 are missing.
func (c Units) Least(d Units) Units {
	for i, x := range c.each() {
		if v := *d.each()[i]; v > 0 && (*x == 0 || v < *x) {
			*x = v
		}
	}
	return c
}

// Work counts the units of work of one or more generations.
type Work struct{ Simulations, Samples, Games float64 }

// Of counts the work of a committed generation.
func Of(c configs.Config, m train.Metrics) Work {
	return Work{
		Simulations: float64(m.Positions * c.MCTS.Simulations),
		Samples:     float64(m.Fit.Steps * c.Train.Optimiser.Batch),
		Games:       float64(m.Gate.Wins + m.Gate.Losses + m.Gate.Draws),
	}
}

// Expected returns the work of a generation whose games have plies actions on average
// and whose gate plays all of its games.
func Expected(c configs.Config, plies float64) Work {
	positions := float64(c.Selfplay.Games) * plies
	return Work{
		Simulations: positions * float64(c.MCTS.Simulations),
		Samples:     positions * c.Train.Passes,
		Games:       float64(c.Gate.Games),
	}
}

// Charge returns the CPU time that work costs.
func (c Units) Charge(w Work) time.Duration {
	return time.Duration(float64(w.Simulations*float64(c.Simulation)) + float64(w.Samples*float64(c.Sample)) + float64(w.Games*float64(c.Game)))
}

// Generations returns the number of generations, each with work w, that comes nearest to
// the budget.
func (c Units) Generations(budget time.Duration, w Work) int {
	return max(1, int(math.Round(float64(budget)/float64(c.Charge(w)))))
}

// Simulations returns the number of simulations that a player has time for.
func (c Units) Simulations(t time.Duration) int { return max(1, int(t/max(1, c.Play))) }
