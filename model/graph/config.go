package graph

import (
	"fmt"

	"dojo.example/model"
)

// Config holds the settings of training steps: the batch size, the weights of the losses and the
// constants of the optimiser.
type Config struct {
	// Batch is the number of positions per step. AlphaZero used 4096.
	Batch int `yaml:"batch"`

	// Each step shrinks the weights, but not the biases, by a fraction of WeightDecay times the
	// learning rate (Loshchilov and Hutter 2019).
	WeightDecay float32 `yaml:"weight_decay"`

	// ClipNorm limits the norm of the gradient of all parameters together. If the norm is larger,
	// the gradient is scaled down to this norm. 0 means no limit.
	ClipNorm float32 `yaml:"clip_norm"`

	// ValueWeight is the weight of the value loss. The policy loss has the weight 1. AlphaZero used
	// the weight 1 for both, and the squared error as the value loss.
	ValueWeight float32 `yaml:"value_weight"`

	// MarginWeight is the weight of the margin loss, for networks that also predict the margin (the
	// lead in points at the end of the game). KataGo also trains on scores in addition to the
	// outcome.
	MarginWeight float32 `yaml:"margin_weight"`

	// Beta1, Beta2 and Epsilon are the constants of Adam. Kingma and Ba (2015) recommend 0.9, 0.999
	// and 1e-8.
	Beta1   float32 `yaml:"beta1"`
	Beta2   float32 `yaml:"beta2"`
	Epsilon float32 `yaml:"epsilon"`

	// Average is the decay of the running average of the weights at each step. With 0.99, it
	// averages over about the last 100 steps. Candidates (new models that may replace the best one)
	// get the averaged weights. KataGo and lc0 also average weights.
	Average float32 `yaml:"average"`
}

// weight returns the weight of the head's loss in the total loss.
func (c Config) weight(h model.Head) float32 {
	switch h.Kind {
	case model.Win:
		return c.ValueWeight
	case model.Amount:
		return c.MarginWeight
	}
	return 1
}

// Default returns settings suitable for small networks.
func Default() Config {
	return Config{
		Batch: 256, WeightDecay: 1e-2, ClipNorm: 5, ValueWeight: 1, MarginWeight: 0.5,
		Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Average: 0.99,
	}
}

// Validate returns an error for the first invalid value. The error begins with the name of its key.
func (c Config) Validate() error {
	fraction := func(x float32) bool { return x >= 0 && x < 1 }
	switch {
	case c.Batch < 1 || c.Batch > 1<<16:
		return fmt.Errorf("batch: %d is not between 1 and %d", c.Batch, 1<<16)
	case !(c.WeightDecay >= 0 && c.WeightDecay <= 10):
		return fmt.Errorf("weight_decay: %v is not in [0, 10]", c.WeightDecay)
	case !(c.ClipNorm >= 0):
		return fmt.Errorf("clip_norm: %v is negative", c.ClipNorm)
	case !(c.ValueWeight >= 0 && c.ValueWeight <= 1000):
		return fmt.Errorf("value_weight: %v is not in [0, 1000]", c.ValueWeight)
	case !(c.MarginWeight >= 0 && c.MarginWeight <= 1000):
		return fmt.Errorf("margin_weight: %v is not in [0, 1000]", c.MarginWeight)
	case !fraction(c.Beta1):
		return fmt.Errorf("beta1: %v is not in [0, 1)", c.Beta1)
	case !fraction(c.Beta2):
		return fmt.Errorf("beta2: %v is not in [0, 1)", c.Beta2)
	case !(c.Epsilon > 0):
		return fmt.Errorf("epsilon: %v is not positive", c.Epsilon)
	case !fraction(c.Average):
		return fmt.Errorf("average: %v is not in [0, 1)", c.Average)
	}
	return nil
}
