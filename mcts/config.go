package mcts

import "fmt"

// Config holds the constants of the search, named as in the papers.
type Config struct {
	// Simulations is the number of root visits a move is given, for whoever
	// calls Begin with it: New does not look at it. AlphaZero: 800.
	Simulations int `yaml:"simulations"`

	// CPuct weighs the prior against the value: c_init of Silver et al. 2018.
	// AlphaZero: 1.25.
	CPuct float32 `yaml:"cpuct"`

	// CPuctBase is the number of visits after which exploration grows:
	// c(s) = CPuct + log((1+N+base)/base). AlphaZero: 19652.
	CPuctBase float32 `yaml:"cpuct_base"`

	// FPUReduction is how much worse than its parent, on the value scale
	// [-1, 1], an unvisited action is taken to be, times the root of the
	// prior of those visited. KataGo: 0.2; lc0: 0.33 for match play.
	FPUReduction float32 `yaml:"fpu_reduction"`

	// NoiseAlpha is the concentration of the Dirichlet noise at the root,
	// for a position with 10 legal actions; it is scaled by 10 over their
	// number. AlphaZero: 0.3 in chess, 0.03 in Go.
	NoiseAlpha float32 `yaml:"noise_alpha"`

	// NoiseWeight is the noise's share of the root prior; 0 for matches.
	// AlphaZero: 0.25.
	NoiseWeight float32 `yaml:"noise_weight"`

	// Cache is the number of evaluations that a worker remembers. It changes
	// no result. 0 where the same position is not always worth the same, as
	// with random playouts.
	Cache int `yaml:"cache"`

	// Memory is the most bytes that the nodes and edges of one tree take; 0
	// means 512 MiB, some 1.6 million simulations of Onitama or 140,000 of
	// Patchwork. A tree that is full searches no further. The process may take
	// three times as much: slices are copied as they grow, and Play moves what
	// it keeps. It decides no result of a search that fits, so that it is not a
	// key of a run's configuration.
	Memory int64 `yaml:"-"`
}

const (
	defaultMemory = 512 << 20
	mostMemory    = 32 << 30 // indices of 20-byte edges stay below 2^31
)

func (c Config) memory() int64 {
	if c.Memory == 0 {
		return defaultMemory
	}
	return min(c.Memory, mostMemory)
}

// Root is the rule at the root that the configuration asks for.
func (c Config) Root() Root { return PUCT{NoiseAlpha: c.NoiseAlpha, NoiseWeight: c.NoiseWeight} }

// Default is the search of the papers at a number of simulations that suits
// small games.
func Default() Config {
	return Config{Simulations: 100, CPuct: 1.5, CPuctBase: 19652, FPUReduction: 0.1, NoiseAlpha: 1, NoiseWeight: 0.25, Cache: 8192}
}

// MaxSimulations is more than any tree's memory is good for.
const MaxSimulations = 10_000_000

// Validate reports the first impossible value, naming its key.
func (c Config) Validate() error {
	switch {
	case c.Simulations < 1 || c.Simulations > MaxSimulations:
		return fmt.Errorf("simulations: %d is not between 1 and %d", c.Simulations, MaxSimulations)
	case !(c.CPuct > 0):
		return fmt.Errorf("cpuct: %v is not positive", c.CPuct)
	case !(c.CPuctBase > 0):
		return fmt.Errorf("cpuct_base: %v is not positive", c.CPuctBase)
	case !(c.FPUReduction >= 0 && c.FPUReduction <= 2):
		return fmt.Errorf("fpu_reduction: %v is not in [0, 2]", c.FPUReduction)
	case !(c.NoiseAlpha > 0 && c.NoiseAlpha <= 1000):
		return fmt.Errorf("noise_alpha: %v is not in (0, 1000]", c.NoiseAlpha)
	case !(c.NoiseWeight >= 0 && c.NoiseWeight <= 1):
		return fmt.Errorf("noise_weight: %v is not in [0, 1]", c.NoiseWeight)
	case c.Cache < 0 || c.Cache > 1<<24:
		return fmt.Errorf("cache: %d is not between 0 and %d", c.Cache, 1<<24)
	}
	return nil
}
