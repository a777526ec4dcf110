package mcts

import "fmt"

// Final is a way to choose the move when the search is over.
type Final string

// The ways to choose the final move.
const (
	Visits Final = "visits" // the action with the most visits, as in AlphaZero
	LCB    Final = "lcb"    // the action with the largest lower confidence bound of its value, as in KataGo
)

// Constants is the part of a Config that a checkpoint stores. A checkpoint has two sets: one for
// the searches of its training, and one for the searches of players who use the checkpoint.
type Constants struct {
	// CPuct is the weight of the priors. The larger it is, the more the search prefers actions with
	// a high prior to actions with a high value. Silver et al. 2018 call it c_init. AlphaZero uses
	// 1.25.
	CPuct float32 `yaml:"cpuct" json:"cpuct"`

	// CPuctBase lets the search explore more at nodes with many visits. At a node with N visits,
	// the weight of exploration is c(s) = CPuct + log((1+N+CPuctBase)/CPuctBase). It begins to grow
	// when N comes near CPuctBase. AlphaZero uses 19652.
	CPuctBase float32 `yaml:"cpuct_base" json:"cpuct_base"`

	// FPUReduction ("first play urgency") sets the assumed value of an unvisited action: the
	// parent's value minus FPUReduction · √(sum of the visited actions' priors). Values are in [-1,
	// 1]. KataGo uses 0.2, and lc0 uses 0.33 in matches.
	FPUReduction float32 `yaml:"fpu_reduction" json:"fpu_reduction"`

	// PriorTemperature divides the policy's logits before they become priors. With a temperature
	// above 1, the search looks at more actions. 0 means 1.
	PriorTemperature float32 `yaml:"prior_temperature,omitempty" json:"prior_temperature,omitempty"`

	// Final determines how the search chooses the move at temperature 0. It does not change the
	// policy target of self-play.
	Final Final `yaml:"final" json:"final,omitempty"`
}

// Config holds the constants of the search, with the names that the papers use.
type Config struct {
	// Simulations is the number of visits that the root gets before a move is chosen. New ignores
	// it, because the caller passes a number of visits to Begin. AlphaZero uses 800.
	Simulations int `yaml:"simulations"`

	Constants `yaml:",inline"`

	Noise `yaml:",inline"` // root noise in self-play

	// Tactics finds short forced wins by the rules, without the network.
	Tactics Tactics `yaml:"tactics"`

	// With Graph, a position that can be reached in several ways has only one node, so all these
	// ways share the node's results. Without Graph, each way leads to a node of its own, as in
	// AlphaZero.
	Graph bool `yaml:"graph,omitempty"`

	// Memory is the largest number of bytes that one tree may take. It includes the copies that the
	// search makes when a slice grows and when the tree follows a game.
	//
	// A search without a visit limit ends when it has used up Memory. For such a search, 0 means
	// 512 MiB. A search with a visit limit takes at most the number of bytes that [Game].Bytes
	// returns, so it never ends for lack of memory, unless Memory is set to a smaller number.
	Memory int64 `yaml:"-"`
}

const defaultMemory = 512 << 20

// SelfPlay returns the root rule of self-play, with noise.
func (c Config) SelfPlay() RootRule { return RootRule{c.Noise, c.Final} }

// Playing returns the root rule of players, without noise.
func (c Config) Playing() RootRule { return RootRule{Final: c.Final} }

// Tunable lists the names of the constants that can be tuned; see [Constants.Constant].
var Tunable = []string{"cpuct", "cpuct_base", "fpu_reduction", "prior_temperature"}

// Constant returns a pointer to the constant with the given name, as written in a configuration
// file. It returns nil if the name is not in Tunable.
func (c *Constants) Constant(name string) *float32 {
	return map[string]*float32{
		"cpuct": &c.CPuct, "cpuct_base": &c.CPuctBase, "fpu_reduction": &c.FPUReduction, "prior_temperature": &c.PriorTemperature,
	}[name]
}

// Default returns constants close to those in the papers, and a number of simulations that suits
// small games.
func Default() Config {
	return Config{
		Simulations: 100, Noise: Noise{Alpha: 1, Weight: 0.25},
		Constants: Constants{CPuct: 1.5, CPuctBase: 19652, FPUReduction: 0.1, Final: LCB},
	}
}

// MaxSimulations is the largest valid number of simulations. It only catches mistakes: no machine
// has enough memory for the tree of that many simulations.
const MaxSimulations = 10_000_000

// Validate returns an error for the first invalid value. The error begins with the value's key.
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

// Validate returns an error for the first invalid value. The error begins with the value's key.
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
