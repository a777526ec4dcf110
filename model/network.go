package model

import (
	"fmt"

	"dojo/engine"
)

// Network is the architecture of a residual policy/value network as data. It
// has no normalisation layer: the second convolution of every block starts at
// zero ("fixup", Zhang et al. 2019, as in KataGo), so a deep net starts as a
// shallow one and nothing has to be folded away to play.
//
//	planes -> conv3 C, relu -> blocks -> trunk          conv1 if the board is a single cell
//	block:  x -> conv3 C, relu -> conv3 C -> + x -> relu
//	policy: trunk -> conv1 P               if Actions = P × cells > P, logit of action cell*P+p
//	        trunk -> conv1 P, relu -> dense Actions              otherwise
//	value:  trunk -> conv1 V, relu -> dense H, relu -> dense 1 -> tanh
//	margin: the H features of the value -> dense 1       only to train on, if Margin > 0
type Network struct {
	Planes        engine.Shape `yaml:"-" json:"planes"`
	Actions       int          `yaml:"-" json:"actions"`
	Channels      int          `yaml:"channels" json:"channels"`             // C, a multiple of 16; AlphaZero: 256
	Blocks        int          `yaml:"blocks" json:"blocks"`                 // AlphaZero: 19
	PolicyPlanes  int          `yaml:"policy_planes" json:"policy_planes"`   // P of a dense policy head; ignored if the head is convolutional; AlphaZero: 2 in Go
	ValuePlanes   int          `yaml:"value_planes" json:"value_planes"`     // V; AlphaZero: 1
	ValueFeatures int          `yaml:"value_features" json:"value_features"` // H; AlphaZero: 256
	Margin        int          `yaml:"margin" json:"margin,omitempty"`       // the lead in points that the margin output writes as 1; 0 for games without scores
}

// Param is the name and shape of one parameter tensor. Convolution weights
// are [ky][kx][in][out], dense weights [in][out], biases [out].
type Param struct {
	Name  string
	Shape []int
}

// DefaultNetwork is small enough for one core.
func DefaultNetwork() Network {
	return Network{Channels: 64, Blocks: 4, PolicyPlanes: 8, ValuePlanes: 8, ValueFeatures: 64}
}

// For returns the network fitted to a game's input and actions.
func (n Network) For(spec engine.Spec) Network {
	n.Planes, n.Actions = spec.Planes, spec.Actions
	return n
}

// Validate reports the first impossible value, naming its key.
func (n Network) Validate() error {
	switch {
	case n.Channels < 16 || n.Channels%16 != 0 || n.Channels > 1024:
		return fmt.Errorf("channels: %d is not a multiple of 16 between 16 and 1024", n.Channels)
	case n.Blocks < 0 || n.Blocks > 100:
		return fmt.Errorf("blocks: %d is not between 0 and 100", n.Blocks)
	case n.PolicyPlanes < 1 || n.PolicyPlanes > 1024:
		return fmt.Errorf("policy_planes: %d is not between 1 and 1024", n.PolicyPlanes)
	case n.ValuePlanes < 1 || n.ValuePlanes > 1024:
		return fmt.Errorf("value_planes: %d is not between 1 and 1024", n.ValuePlanes)
	case n.ValueFeatures < 1 || n.ValueFeatures > 4096:
		return fmt.Errorf("value_features: %d is not between 1 and 4096", n.ValueFeatures)
	case n.Margin < 0 || n.Margin > 10000:
		return fmt.Errorf("margin: %d is not between 0 and 10000", n.Margin)
	}
	return nil
}

// ConvPolicy reports whether the policy head is convolutional, and with how
// many planes. On a single cell it is not: inputs are a list of features then,
// the network is a plain perceptron, and its policy has a hidden layer.
func (n Network) ConvPolicy() (planes int, ok bool) {
	cells := n.Planes.Cells()
	return n.Actions / cells, cells > 1 && n.Actions%cells == 0
}

// Stem is the width of the first convolution: no neighbours, no taps for them.
func (n Network) Stem() int {
	if n.Planes.Cells() == 1 {
		return 1
	}
	return 3
}

// Params lists every parameter, in the order in which they are stored.
func (n Network) Params() []Param {
	var ps []Param
	layer := func(name string, shape ...int) {
		ps = append(ps, Param{name + ".weight", shape}, Param{name + ".bias", shape[len(shape)-1:]})
	}
	c, cells := n.Channels, n.Planes.Cells()
	layer("stem", n.Stem(), n.Stem(), n.Planes.C, c)
	for i := range n.Blocks {
		layer(fmt.Sprintf("block%d.conv1", i), 3, 3, c, c)
		layer(fmt.Sprintf("block%d.conv2", i), 3, 3, c, c)
	}
	if p, ok := n.ConvPolicy(); ok {
		layer("policy", 1, 1, c, p)
	} else {
		layer("policy", 1, 1, c, n.PolicyPlanes)
		layer("policy.dense", cells*n.PolicyPlanes, n.Actions)
	}
	layer("value", 1, 1, c, n.ValuePlanes)
	layer("value.hidden", cells*n.ValuePlanes, n.ValueFeatures)
	layer("value.out", n.ValueFeatures, 1)
	if n.Margin > 0 {
		layer("margin.out", n.ValueFeatures, 1)
	}
	return ps
}

// Operations is the number of arithmetic operations of an evaluation: two a
// product, without those with the padding and with additions.
func (n Network) Operations() float64 {
	h, w := n.Planes.H, n.Planes.W
	taps := (3*h - 2) * (3*w - 2) // of a 3×3 convolution, over the board; 1 on a single cell
	products := taps * n.Channels * (n.Planes.C + 2*n.Blocks*n.Channels)
	cells := h * w
	if p, ok := n.ConvPolicy(); ok {
		products += cells * n.Channels * p
	} else {
		products += cells * n.PolicyPlanes * (n.Channels + n.Actions)
	}
	products += cells*n.ValuePlanes*(n.Channels+n.ValueFeatures) + n.ValueFeatures
	return 2 * float64(products)
}
