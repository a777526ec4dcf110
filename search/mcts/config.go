package mcts

import "fmt"

// Final is a way to choose the move when the search is over.
type Final string

// The ways there are.
const (
	Visits Final = "visits" // the most visited, as in AlphaZero
	LCB    Final = "lcb"    // the largest lower confidence bound of the value, as in KataGo
)

// Constants are the part of a Config that a checkpoint holds: those of the searches that it was
// trained with, and apart from them those of the searches in which players use it.
type Constants struct {
	// CPuct is the weight of exploration by the prior against the value: c_init of
	// Silver et al. 2018. AlphaZero: 1.25.
	CPuct float32 `yaml:"cpuct" json:"cpuct"`

	// CPuctBase is the number of visits N around which exploration begins to grow:
	// c(s) = CPuct + log((1+N+base)/base). AlphaZero: 19652.
	CPuctBase float32 `yaml:"cpuct_base" json:"cpuct_base"`

	// FPUReduction says how much worse than its parent an unvisited action is
	// assumed to be ("first play urgency"): FPUReduction · √(sum of the visited
	// actions' priors), for values in [-1, 1]. KataGo: 0.2; lc0: 0.33 in matches.
	FPUReduction float32 `yaml:"fpu_reduction" json:"fpu_reduction"`

	// PriorTemperature divides the logits of the policy before they become priors. Above 1
	// the search looks at more actions; 0 stands for 1.
	PriorTemperature float32 `yaml:"prior_temperature,omitempty" json:"prior_temperature,omitempty"`

	// Final says how the move is chosen at temperature 0. Self-play's target is the visits
	// in any case.
	Final Final `yaml:"final" json:"final,omitempty"`
}

// Config holds the constants of the search, named as in the papers.
type Config struct {
	// Simulations is the number of root visits for each move. The caller of Begin
	// passes it there; New ignores it. AlphaZero: 800.
	Simulations int `yaml:"simulations"`

	Constants `yaml:",inline"`

	Noise `yaml:",inline"` // of self-play

	// Tactics find short forced wins by the rules alone.
	Tactics Tactics `yaml:"tactics"`

	// Graph says that positions which are reached in several ways have one node, so that what
	// was found in one way is known in all. Otherwise each way has a node of its own, as in
	// AlphaZero.
	Graph bool `yaml:"graph,omitempty"`

	// Memory is the largest number of bytes that one tree may take, with the copies that are
	// made as slices grow and the tree follows a game. A search without a limit of visits ends when the memory is
	// used up; for it 0 stands for 512 MiB. A search with a limit of visits never ends for lack of memory, and
	// takes at most what [Game].Bytes says, except if that is more than a Memory that is not 0.
	Memory int64 `yaml:"-"`
}

const defaultMemory = 512 << 20

// SelfPlay is the rule of the roots of self-play.
func (c Config) SelfPlay() RootRule { return RootRule{c.Noise, c.Final} }

// Playing is the rule of the roots of players: without noise.
func (c Config) Playing() RootRule { return RootRule{Final: c.Final} }

// Tunable are the names of the constants that can be tuned; see Constant.
var Tunable = []string{"cpuct", "cpuct_base", "fpu_reduction", "prior_temperature"}

// Constant returns the constant with the given name in a configuration file, one of Tunable;
// nil if it is not.
func (c *Constants) Constant(name string) *float32 {
	return map[string]*float32{
		"cpuct": &c.CPuct, "cpuct_base": &c.CPuctBase, "fpu_reduction": &c.FPUReduction, "prior_temperature": &c.PriorTemperature,
	}[name]
}

// Default has constants near those of the papers, and a number of simulations that
// suits small games.
func Default() Config {
	return Config{
		Simulations: 100, Noise: Noise{Alpha: 1, Weight: 0.25},
		Constants: Constants{CPuct: 1.5, CPuctBase: 19652, FPUReduction: 0.1, Final: LCB},
	}
}

// MaxSimulations is the largest valid number of simulations: more than fit into any
// tree's memory.
const MaxSimulations = 10_000_000

// Validate reports the first impossible value, naming its key.
func (c Config) Validate() error {
	switch {
	case c.Simulations < 1 || c.Simulations > MaxSimulations:
		return fmt.Errorf("simulations: %d is not between 1 and %d", c.Simulations, MaxSimulations)
	case !(c.Noise.Alpha > 0 && c.Noise.Alpha <= 1000):
		return fmt.Errorf("noise_alpha: %v is not in (0, 1000]", c.Noise.Alpha)
	case !(c.Noise.Weight >= 0 && c.Noise.Weight <= 1):
		return fmt.Errorf("noise_weight: %v is not in [0, 1]", c.Noise.Weight)
	case c.Tactics.Leaf < 0 || c.Tactics.Leaf > 2:
		return fmt.Errorf("tactics: leaf: %d is not 0, 1 or 2", c.Tactics.Leaf)
	}
	return c.Constants.Validate()
}

// Validate reports the first impossible value, naming its key.
func (c Constants) Validate() error {
	switch t := c.PriorTemperature; {
	case !(c.CPuct > 0):
		return fmt.Errorf("cpuct: %v is not positive", c.CPuct)
	case !(c.CPuctBase > 0):
		return fmt.Errorf("cpuct_base: %v is not positive", c.CPuctBase)
	case !(c.FPUReduction >= 0 && c.FPUReduction <= 2):
		return fmt.Errorf("fpu_reduction: %v is not in [0, 2]", c.FPUReduction)
	case t != 0 && !(t >= 0.1 && t <= 10):
		return fmt.Errorf("prior_temperature: %v is neither 0 nor in [0.1, 10]", t)
	case c.Final != Visits && c.Final != LCB:
		return fmt.Errorf("final: %q is neither %s nor %s", c.Final, Visits, LCB)
	}
	return nil
}
