package train

import (
	"fmt"
	"math"

	"dojo.example/internal/detmath"
	"dojo.example/model"
	"dojo.example/model/graph"
	"dojo.example/search/mcts"
)

// Config sets how a run learns.
type Config struct {
	// Generations is the number of generations in the run. The learning rate falls over all of
	// them.
	Generations int `yaml:"generations"`

	// Generation g trains on the samples of the newest generations, its window. The window has
	// WindowMin + WindowGrowth·g generations, but at most WindowMax. KataGo lets its window grow as
	// a power of the number of samples so far.
	WindowMin    int     `yaml:"window_min"`
	WindowGrowth float64 `yaml:"window_growth"`
	WindowMax    int     `yaml:"window_max"`

	// Passes is how many times training uses a position on average, in all the generations whose
	// window contains the position. A generation that played p positions draws Passes·p samples,
	// evenly from its whole window. With a window of w generations of equal size, each generation
	// therefore draws each position Passes/w times. KataGo: about 4.
	Passes float64 `yaml:"passes"`

	// Lag is 0 or 1. With 1, the best model of generation g−2 plays the games of generation g while
	// generation g−1 is trained and gated. Processes that play and processes that train then need
	// not wait for each other.
	Lag int `yaml:"lag,omitempty"`

	// LearningRate is the learning rate in the first generation, after WarmupSteps steps. It falls
	// along a cosine to FinalLearningRate in the last generation.
	LearningRate      float64 `yaml:"learning_rate"`
	FinalLearningRate float64 `yaml:"final_learning_rate"`
	WarmupSteps       int     `yaml:"warmup_steps"`

	// SearchValueShare is the share of the search's root value in the value target. The rest is the
	// outcome of the game. 0 uses only the outcome, as in AlphaZero; 1 uses only the root value.
	SearchValueShare float32 `yaml:"search_value_share"`

	// Precision is the arithmetic of self-play and of the gate's matches.
	Precision model.Precision `yaml:"precision"`

	Optimiser graph.Config `yaml:"optimiser"`
}

// Gate sets when a candidate replaces the best model.
type Gate struct {
	// Games is the largest number of games in a match. It is even, because every opening is played
	// twice, with sides swapped. If the test has not ended the match by then, the candidate is
	// promoted if it scored more than half.
	Games int `yaml:"games"`

	// Simulations is the number of root visits per move.
	Simulations int `yaml:"simulations"`

	// OpeningPlies is the number of random actions before the players start.
	OpeningPlies int `yaml:"opening_plies"`

	// Elo0 and Elo1 are the two hypotheses of a sequential test, which ends clear matches early. It
	// decides whether the candidate is stronger by Elo0 or by Elo1, with error rates of 5 %.
	Elo0 float64 `yaml:"elo0"`
	Elo1 float64 `yaml:"elo1"`

	// Ladder is the number of games in each match of the run's ladder, which measures how strong
	// the run's models are. About sixteen models play, at 64 simulations a move, against up to
	// three earlier models and the bot in the box. It is even; 0 turns the ladder off.
	Ladder int `yaml:"ladder"`
}

// Default returns settings for a run of some minutes.
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

// DefaultGate returns settings for a quick gate. Its test is symmetric about 0 Elo. A candidate
// whose progress is too small to show in so few games passes about every second time, and small
// steps add up.
func DefaultGate() Gate {
	return Gate{Games: 80, Simulations: 32, OpeningPlies: 2, Elo0: -30, Elo1: 30, Ladder: 16}
}

// maxGenerations is the largest number of generations. With six digits, the file names of so many
// generations sort by number.
const maxGenerations = 1_000_000

// Validate returns an error that names the key of the first invalid value.
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

// Validate returns an error that names the key of the first invalid value.
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

// window is the number of generations in the window of generation g, including g.
func (c Config) window(g int) int {
	return min(g+1, c.WindowMax, c.WindowMin+int(c.WindowGrowth*float64(g)))
}

// steps is the number of optimiser steps in a generation whose games have the given number of
// positions.
func (c Config) steps(positions int) int {
	return int(math.Ceil(c.Passes * float64(positions) / float64(c.Optimiser.Batch)))
}

// rate is the learning rate of an optimiser step. It follows a cosine over the generations and is
// smaller during the warmup. step is counted from the start of the run.
func (c Config) rate(generation, step int) float32 {
	done := float64(generation) / float64(max(1, c.Generations-1))
	cosine := (1 + detmath.Cos(math.Pi*min(1, done))) / 2
	r := c.FinalLearningRate + float64((c.LearningRate-c.FinalLearningRate)*cosine)
	if step < c.WarmupSteps {
		r *= float64(step+1) / float64(c.WarmupSteps)
	}
	return float32(r)
}
