package train

import (
	"fmt"
	"math"

	"dojo.example/internal/detmath"
	"dojo.example/model"
	"dojo.example/model/graph"
	"dojo.example/search/mcts"
)

// Config holds the settings of training.
type Config struct {
	// Generations is the number of generations in the run. The learning rate falls from the first
	// to the last of them.
	Generations int `yaml:"generations"`

	// Generation g trains on the samples of the newest generations. These generations are its
	// window. The window has WindowMin + WindowGrowth·g generations, but at most WindowMax. In
	// KataGo, the window grows as a power of the number of samples.
	WindowMin    int     `yaml:"window_min"`
	WindowGrowth float64 `yaml:"window_growth"`
	WindowMax    int     `yaml:"window_max"`

	// Passes is how often training uses each position on average, in total over all generations
	// whose window contains the position. If the games of a generation have p positions, the
	// generation trains on Passes·p samples, which are drawn evenly from its whole window. If a
	// window has w generations of equal size, each generation therefore draws each position
	// Passes/w times. KataGo uses each position about 4 times.
	Passes float64 `yaml:"passes"`

	// Lag is 0 or 1. With 1, the games of generation g are played while generation g−1 is trained
	// and plays its gate match. So the best model of generation g−2 plays these games. Processes
	// that play and processes that train then need not wait for each other.
	Lag int `yaml:"lag,omitempty"`

	// LearningRate is the learning rate in the first generation, after the first WarmupSteps steps.
	// It then falls along a cosine to FinalLearningRate in the last generation.
	LearningRate      float64 `yaml:"learning_rate"`
	FinalLearningRate float64 `yaml:"final_learning_rate"`
	WarmupSteps       int     `yaml:"warmup_steps"`

	// SearchValueShare is the share of the search's value (the value at its root) in the training
	// target of the value. The rest is the outcome of the game. With 0, only the outcome counts, as
	// in AlphaZero. With 1, only the search's value counts.
	SearchValueShare float32 `yaml:"search_value_share"`

	// Precision is the number format in which the models compute in self-play and in the gate
	// matches.
	Precision model.Precision `yaml:"precision"`

	Optimiser graph.Config `yaml:"optimiser"`
}

// Gate holds the settings of the gate (the match that decides whether a candidate replaces the best
// model) and of the ladder.
type Gate struct {
	// Games is the largest number of games in the gate match. It is even, because the players play
	// every opening twice, with the sides swapped. If the sequential test has not ended the match
	// after that many games, the candidate replaces the best model if it scored more than half of
	// the points.
	Games int `yaml:"games"`

	// Simulations is the number of simulations for each move in the gate match.
	Simulations int `yaml:"simulations"`

	// OpeningPlies is the number of random actions before the players begin to choose.
	OpeningPlies int `yaml:"opening_plies"`

	// Elo0 and Elo1 are the two hypotheses of a sequential test. The test decides whether the
	// candidate is stronger by Elo0 or by Elo1, with error rates of 5 %. It ends matches early if
	// their result is clear.
	Elo0 float64 `yaml:"elo0"`
	Elo1 float64 `yaml:"elo1"`

	// Ladder is the number of games in each ladder match. The ladder measures how strong the run's
	// models are. About sixteen of them play, with 64 simulations a move, against up to three
	// earlier models and against the built-in model of the game. The number is even. With 0, there
	// is no ladder.
	Ladder int `yaml:"ladder"`
}

// Default returns settings for a run that takes a few minutes.
func Default() Config {
	return Config{
		Generations:       20,
		WindowMin:         3,
		WindowGrowth:      0.5,
		WindowMax:         12,
		Passes:            2,
		LearningRate:      2e-3,
		FinalLearningRate: 1e-4,
		WarmupSteps:       50,
		SearchValueShare:  0.25,
		Precision:         model.Int8,
		Optimiser:         graph.Default(),
	}
}

// DefaultGate returns settings for a short gate match. Its two hypotheses are symmetric about 0
// Elo. A candidate whose progress is too small to show in that few games passes about half of the
// time. Small steps can therefore add up.
func DefaultGate() Gate {
	return Gate{Games: 80, Simulations: 32, OpeningPlies: 2, Elo0: -30, Elo1: 30, Ladder: 16}
}

// maxGenerations is the largest number of generations. File names contain the number of the
// generation with six digits. Up to this limit, sorting the names also sorts the numbers.
const maxGenerations = 1_000_000

// Validate returns an error for the first invalid value. The error names the value's key.
func (c Config) Validate() error {
	switch {
	case c.Generations < 1 || c.Generations > maxGenerations:
		return fmt.Errorf("generations: %d is not between 1 and %d", c.Generations, maxGenerations)
	case c.WindowMin < 1:
		return fmt.Errorf("window_min: %d is less than 1", c.WindowMin)
	case !(c.WindowGrowth >= 0 && c.WindowGrowth <= 1):
		return fmt.Errorf("window_growth: %v is not in [0, 1]", c.WindowGrowth)
	case c.WindowMax < c.WindowMin || c.WindowMax > maxGenerations:
		return fmt.Errorf("window_max: %d is not between window_min (%d) and %d", c.WindowMax, c.WindowMin, maxGenerations)
	case !(c.Passes > 0 && c.Passes <= 1000):
		return fmt.Errorf("passes: %v is not in (0, 1000]", c.Passes)
	case c.Lag < 0 || c.Lag > 1:
		return fmt.Errorf("lag: %d is neither 0 nor 1", c.Lag)
	case !(c.LearningRate > 0 && c.LearningRate <= 1):
		return fmt.Errorf("learning_rate: %v is not in (0, 1]", c.LearningRate)
	case !(c.FinalLearningRate >= 0 && c.FinalLearningRate <= c.LearningRate):
		return fmt.Errorf("final_learning_rate: %v is not in [0, learning_rate]", c.FinalLearningRate)
	case c.WarmupSteps < 0 || c.WarmupSteps > 1_000_000_000:
		return fmt.Errorf("warmup_steps: %d is not between 0 and 1000000000", c.WarmupSteps)
	case !(c.SearchValueShare >= 0 && c.SearchValueShare <= 1):
		return fmt.Errorf("search_value_share: %v is not in [0, 1]", c.SearchValueShare)
	}
	if err := c.Precision.Validate(); err != nil {
		return err
	}
	if err := c.Optimiser.Validate(); err != nil {
		return fmt.Errorf("optimiser: %w", err)
	}
	return nil
}

// Validate returns an error for the first invalid value. The error names the value's key.
func (g Gate) Validate() error {
	switch {
	case g.Games < 2 || g.Games%2 != 0 || g.Games > 1_000_000:
		return fmt.Errorf("games: %d is not an even number between 2 and 1000000", g.Games)
	case g.Simulations < 1 || g.Simulations > mcts.MaxSimulations:
		return fmt.Errorf("simulations: %d is not between 1 and %d", g.Simulations, mcts.MaxSimulations)
	case g.OpeningPlies < 0 || g.OpeningPlies > 100:
		return fmt.Errorf("opening_plies: %d is not between 0 and 100", g.OpeningPlies)
	case g.Ladder < 0 || g.Ladder%2 != 0 || g.Ladder > mostLadderGames:
		return fmt.Errorf("ladder: %d is not an even number between 0 and %d", g.Ladder, mostLadderGames)
	case !(g.Elo1 > g.Elo0) || math.IsInf(g.Elo1-g.Elo0, 0):
		return fmt.Errorf("elo1: %v is not above elo0 (%v)", g.Elo1, g.Elo0)
	}
	return nil
}

// window returns the number of generations in the window of generation g. The window includes g.
func (c Config) window(g int) int {
	return min(g+1, c.WindowMax, c.WindowMin+int(c.WindowGrowth*float64(g)))
}

// steps returns the number of optimiser steps in a generation whose games have the given number of
// positions.
func (c Config) steps(positions int) int {
	return int(math.Ceil(c.Passes * float64(positions) / float64(c.Optimiser.Batch)))
}

// rate returns the learning rate of an optimiser step. The rate follows a cosine over the
// generations, and it is smaller during the warmup. step is the number of earlier steps in the run.
func (c Config) rate(generation, step int) float32 {
	done := float64(generation) / float64(max(1, c.Generations-1))
	cosine := (1 + detmath.Cos(math.Pi*min(1, done))) / 2
	r := c.FinalLearningRate + float64((c.LearningRate-c.FinalLearningRate)*cosine)
	if step < c.WarmupSteps {
		r *= float64(step+1) / float64(c.WarmupSteps)
	}
	return float32(r)
}
