// Package cost predicts how long a run takes. It uses the processor time of short runs. A [Meter]
// watches a run and measures its [Units]: the costs of a simulation, of a training sample and of a
// gate game (a game of the match that decides whether a new model replaces the old one).
// [Units.Charge] multiplies the costs by the [Work] of another run. Processor time is summed over
// all cores and counts only this process, so a busy machine gives about the same costs as an idle
// one.
package cost

import (
	"math"
	"time"

	"dojo.example/configs"
	"dojo.example/train"
)

// Units holds the cost of each kind of work in a run, as CPU time summed over all cores.
type Units struct {
	// Simulation is the cost of one simulation in self-play. It is computed as if the search of
	// each position had taken exactly the configured number of simulations.
	Simulation time.Duration `yaml:"simulation" json:"simulation_ns"`

	// Sample is the cost of training on one sample once. It includes a share of the time for
	// reading games and for publishing the candidate (the newly trained model).
	Sample time.Duration `yaml:"sample" json:"sample_ns"`

	// Game is the cost of one game of the gate, the match that decides whether a new model replaces
	// the old one.
	Game time.Duration `yaml:"game" json:"game_ns"`

	// Play is the cost of one simulation of a player in a match. It determines how many simulations
	// a player has time for. A Meter does not measure it.
	Play time.Duration `yaml:"play" json:"play_ns"`
}

// each returns pointers to the four costs.
func (c *Units) each() []*time.Duration {
	return []*time.Duration{&c.Simulation, &c.Sample, &c.Game, &c.Play}
}

// Least returns, for each kind of work, the lower cost of the two measurements c and d, because
// disturbances can only increase a cost. A cost of 0 means that it was not measured.
func (c Units) Least(d Units) Units {
	for i, x := range c.each() {
		if v := *d.each()[i]; v > 0 && (*x == 0 || v < *x) {
			*x = v
		}
	}
	return c
}

// Work is an amount of work: the numbers of simulations, training samples and gate games in one or
// more generations.
type Work struct{ Simulations, Samples, Games float64 }

// Of returns the work that a finished generation took.
func Of(c configs.Config, m train.Metrics) Work {
	return Work{
		Simulations: float64(m.Positions * c.MCTS.Simulations),
		Samples:     float64(m.Fit.Steps * c.Train.Optimiser.Batch),
		Games:       float64(m.Gate.Wins + m.Gate.Losses + m.Gate.Draws),
	}
}

// Expected returns the expected work of one generation, where plies is the mean number of actions
// in its self-play games. It assumes that no test ends the gate match early.
func Expected(c configs.Config, plies float64) Work {
	positions := float64(c.Selfplay.Games) * plies
	return Work{
		Simulations: positions * float64(c.MCTS.Simulations),
		Samples:     positions * c.Train.Passes,
		Games:       float64(c.Gate.Games),
	}
}

// Charge returns the CPU time that the given work costs.
func (c Units) Charge(w Work) time.Duration {
	return time.Duration(float64(w.Simulations*float64(c.Simulation)) + float64(w.Samples*float64(c.Sample)) + float64(w.Games*float64(c.Game)))
}

// Generations returns the number of generations, at least 1, that come closest to using up the
// budget. Each generation takes the work w.
func (c Units) Generations(budget time.Duration, w Work) int {
	return max(1, int(math.Round(float64(budget)/float64(c.Charge(w)))))
}

// Simulations returns how many simulations a player can run in time t, at least 1.
func (c Units) Simulations(t time.Duration) int { return max(1, int(t/max(1, c.Play))) }
