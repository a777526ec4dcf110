package model

import (
	"fmt"
	"math"

	"dojo.example/engine"
)

// Residual holds the sizes of a convolutional network that reads planes. The network has no
// normalisation layers. Instead, the second convolution of every block starts with all weights zero
// ("fixup", Zhang et al. 2019, as in KataGo). So initially the blocks return their input unchanged,
// as if the network had no blocks.
//
//	planes -> conv3 C, relu -> blocks -> trunk
//	block:  x -> conv3 C, relu -> conv3 C -> + x -> relu
//	policy: trunk -> conv1 P               if Actions = P × cells > P; action cell*P+p has a logit at its cell
//	        trunk -> conv1 P, relu -> dense Actions              otherwise
//	value:  trunk -> conv1 V, relu -> dense H, relu -> dense 1 -> tanh
//	margin: the H features of the value -> dense 1               if Network.Margin > 0; see Checkpoint.Leads
type Residual struct {
	// C: number of channels in the trunk, a multiple of 16 (AlphaZero: 256).
	Channels int `json:"channels" yaml:"channels"`
	// Number of residual blocks (AlphaZero: 19).
	Blocks int `json:"blocks" yaml:"blocks"`
	// P: number of channels of a dense policy head (AlphaZero: 2 in Go); unused with a
	// convolutional policy head.
	PolicyPlanes int `json:"policy_planes" yaml:"policy_planes"`
	// V: number of channels of the value head (AlphaZero: 1).
	ValuePlanes int `json:"value_planes" yaml:"value_planes"`
	// H: number of hidden units of the value head (AlphaZero: 256).
	ValueFeatures int `json:"value_features" yaml:"value_features"`
}

// DefaultResidual returns sizes for a network small enough to train and play on one core.
func DefaultResidual() Residual {
	return Residual{Channels: 64, Blocks: 4, PolicyPlanes: 8, ValuePlanes: 8, ValueFeatures: 64}
}

// Kind returns KindResidual.
func (r Residual) Kind() string { return KindResidual }

func (r Residual) fit(engine.Spec) Body { return r }

func (r Residual) fits(int) error { return nil }

func (r Residual) newInput(n Network) engine.Input { return engine.PlaneInput(n.Planes) }

func (r Residual) describe() (sizes, reads string) {
	return fmt.Sprintf("%d channels, %d blocks", r.Channels, r.Blocks), ""
}

func (r Residual) sizes() []size {
	return []size{
		{"channels", r.Channels, 16, 16, 1024}, {"blocks", r.Blocks, 1, 0, 100}, {"policy_planes", r.PolicyPlanes, 1, 1, 1024},
		{"value_planes", r.ValuePlanes, 1, 1, 1024}, {"value_features", r.ValueFeatures, 1, 1, 4096},
	}
}

func (r Residual) layers(a *Architecture, n Network) (policy, value string) {
	x := a.add(Layer{Name: "stem", K: 3, ReLU: true, Int8: true}, r.Channels, he)
	// Fixup (Zhang et al. 2019): the more blocks there are, the smaller the initial weights of a
	// block's first convolution must be. For blocks of two layers, they are divided by √blocks. The
	// second convolution starts with zeros.
	smaller := func(fan int) float64 { return he(fan) / math.Sqrt(float64(r.Blocks)) }
	zero := func(int) float64 { return 0 }
	for i := range r.Blocks {
		name := fmt.Sprintf("block%d", i)
		y := a.add(Layer{Name: name + ".conv1", From: x, K: 3, ReLU: true, Int8: true}, r.Channels, smaller)
		x = a.add(Layer{Name: name + ".conv2", From: y, Add: x, K: 3, ReLU: true, Int8: true}, r.Channels, zero)
	}
	if cells := n.Planes.Cells(); n.Actions%cells == 0 {
		policy = a.add(Layer{Name: "policy", From: x, K: 1, Int8: true}, n.Actions/cells, small)
	} else {
		policy = a.add(Layer{Name: "policy", From: x, K: 1, ReLU: true, Int8: true}, r.PolicyPlanes, he)
		policy = a.add(Layer{Name: "policy.dense", Kind: Dense, From: policy}, n.Actions, small)
	}
	value = a.add(Layer{Name: "value", From: x, K: 1, ReLU: true, Int8: true}, r.ValuePlanes, he)
	return policy, a.add(Layer{Name: "value.hidden", Kind: Dense, From: value, ReLU: true}, r.ValueFeatures, he)
}
