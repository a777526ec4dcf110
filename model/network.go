package model

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"dojo.example/engine"
)

// NetworkKind names one of the two kinds of networks.
type NetworkKind string

// The kinds of networks. An empty kind is Residual.
const (
	Residual NetworkKind = "residual" // convolutions over planes; see Network
	Sparse   NetworkKind = "sparse"   // a perceptron on sparse features; see SparseSizes
)

// kindOf returns the kind of network that has the setting key, such as "sparse.columns"; ""
// if both have it.
func kindOf(key string) NetworkKind {
	switch first, _, _ := strings.Cut(key, "."); first {
	case "kind", "margin":
		return ""
	case "sparse", "action_rows":
		return Sparse
	}
	return Residual
}

// Network is the kind and the sizes of a policy/value network; Architecture lists its
// layers. The sizes of the sparse kind are described at [SparseSizes]. The residual kind
// has no normalisation layer: the second convolution of every block starts at zero
// ("fixup", Zhang et al. 2019, as in KataGo), so a deep net starts as a shallow one and
// nothing has to be folded away to play.
//
//	planes -> conv3 C, relu -> blocks -> trunk
//	block:  x -> conv3 C, relu -> conv3 C -> + x -> relu
//	policy: trunk -> conv1 P               if Actions = P × cells > P, logit of action cell*P+p
//	        trunk -> conv1 P, relu -> dense Actions              otherwise
//	value:  trunk -> conv1 V, relu -> dense H, relu -> dense 1 -> tanh
//	margin: the H features of the value -> dense 1       if Margin > 0; no search reads it, people do (Checkpoint.Leads)
type Network struct {
	Planes        engine.Shape `yaml:"-" json:"planes"`
	Actions       int          `yaml:"-" json:"actions"`
	Channels      int          `yaml:"channels" json:"channels"`             // C, a multiple of 16; AlphaZero: 256
	Blocks        int          `yaml:"blocks" json:"blocks"`                 // AlphaZero: 19
	PolicyPlanes  int          `yaml:"policy_planes" json:"policy_planes"`   // P of a dense policy head; ignored if the head is convolutional; AlphaZero: 2 in Go
	ValuePlanes   int          `yaml:"value_planes" json:"value_planes"`     // V; AlphaZero: 1
	ValueFeatures int          `yaml:"value_features" json:"value_features"` // H; AlphaZero: 256
	Margin        int          `yaml:"margin" json:"margin,omitempty"`       // the lead in points that the margin output writes as 1; 0 for games without scores

	// Kind is empty in checkpoints of residual networks, as in all that were
	// written before there was another kind; see For.
	Kind   NetworkKind `yaml:"kind" json:"kind,omitempty"`
	Sparse SparseSizes `yaml:"sparse" json:"sparse,omitzero"` // used by the Sparse kind only

	// ActionRows gives the policy of the Sparse kind a row for each feature of actions,
	// if the game lists such features; see engine.ActionFeatureLister.
	ActionRows     bool `yaml:"action_rows" json:"action_rows,omitempty"`
	ActionFeatures int  `yaml:"-" json:"action_features,omitempty"`
	PerAction      int  `yaml:"-" json:"per_action,omitempty"`
}

// DefaultNetwork is small enough for one core.
func DefaultNetwork() Network {
	return Network{
		Channels: 64, Blocks: 4, PolicyPlanes: 8, ValuePlanes: 8, ValueFeatures: 64,
		Kind: Residual, Sparse: defaultSparse(), ActionRows: true,
	}
}

// Sizes describes the network's kind and main sizes for messages.
func (n Network) Sizes() string {
	if n.Kind == Sparse {
		s := n.Sparse
		return fmt.Sprintf("%s: %d columns, policy %d, value %d and %d", Sparse, s.Columns, s.Policy, s.Value, s.Hidden)
	}
	return fmt.Sprintf("%d channels, %d blocks", n.Channels, n.Blocks)
}

// Reads describes what the network reads, for messages.
func (n Network) Reads() string {
	if n.Kind == Sparse {
		return fmt.Sprintf("%d features, at most %d active", n.Sparse.Features, n.Sparse.Active)
	}
	return fmt.Sprintf("%d×%d×%d", n.Planes.H, n.Planes.W, n.Planes.C)
}

// For returns the network with the sizes of a game's input and actions, and without
// the sizes that only the other kind uses.
func (n Network) For(spec engine.Spec) Network {
	if n.Kind == Sparse {
		n = Network{Kind: Sparse, Margin: n.Margin, Sparse: n.Sparse, ActionRows: n.ActionRows && spec.ActionFeatures > 0}
		n.Sparse.Features, n.Sparse.Active = spec.Features, spec.ActiveFeatures
		if n.ActionRows {
			n.ActionFeatures, n.PerAction = spec.ActionFeatures, spec.PerAction
		}
	} else {
		n.Kind, n.Sparse, n.ActionRows = "", SparseSizes{}, false
	}
	n.Planes, n.Actions = spec.Planes, spec.Actions
	return n
}

// Configured returns the network as a configuration has it: For of it is n again. The
// sizes of the other kind are the defaults.
func (n Network) Configured() Network {
	full := DefaultNetwork()
	if n.Kind == Sparse {
		full.Kind, full.Margin, full.Sparse = Sparse, n.Margin, n.Sparse
		full.ActionRows, full.ActionFeatures, full.PerAction = n.ActionRows, n.ActionFeatures, n.PerAction
		return full
	}
	n.Kind, n.Sparse, n.ActionRows = Residual, full.Sparse, full.ActionRows
	return n
}

// NewInput returns an Input without rows for positions that the network learns from.
func (n Network) NewInput() engine.Input {
	if n.Kind == Sparse {
		return engine.FeatureInput(n.Planes, n.PerAction)
	}
	return engine.PlaneInput(n.Planes)
}

// Validate reports the first impossible value, naming its key.
func (n Network) Validate() error {
	switch {
	case n.Margin < 0 || n.Margin > 10000:
		return fmt.Errorf("margin: %d is not between 0 and 10000", n.Margin)
	case n.Kind == Sparse:
		return n.Sparse.validate()
	case n.Kind != "" && n.Kind != Residual:
		return fmt.Errorf("kind: %q is neither %s nor %s", n.Kind, Residual, Sparse)
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
	}
	return nil
}

// CheckKey returns an error if key, such as "sparse.columns", is a size of the kind that the
// network is not.
func (n Network) CheckKey(key string) error {
	kind, of := Residual, kindOf(key)
	if n.Kind == Sparse {
		kind = Sparse
	}
	if of == "" || of == kind {
		return nil
	}
	return fmt.Errorf("%s is a size of %s networks, and this one is %s", key, of, kind)
}

// identity is the text of the network that goes into a checkpoint's hash. Fields
// that come after Margin are left out where they are zero: a field that is added
// later does not change the hashes of older checkpoints.
func (n Network) identity() string {
	var b strings.Builder
	v := reflect.ValueOf(n)
	old := true
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if old || !v.Field(i).IsZero() {
			fmt.Fprintf(&b, " %s:%+v", name, v.Field(i))
		}
		old = old && name != "Margin"
	}
	return "{" + b.String()[1:] + "}"
}

// convPolicy reports whether the policy head is a convolution, and how many planes
// it has.
func (n Network) convPolicy() (planes int, ok bool) {
	cells := n.Planes.Cells()
	return n.Actions / cells, n.Actions%cells == 0
}

// Params lists every parameter, in the order in which they are stored.
func (n Network) Params() []Param { return n.Architecture().Params() }

// Architecture is the network as a list of layers and heads.
func (n Network) Architecture() Architecture {
	if n.Kind == Sparse {
		return n.sparse()
	}
	a := Architecture{Planes: n.Planes}
	trunk := a.trunk(n)
	a.policy(n, trunk)
	a.value(n, trunk)
	return a
}

// trunk adds the stem and the blocks, and returns the last layer's name.
func (a *Architecture) trunk(n Network) string {
	x := a.add(Layer{Name: "stem", K: 3, ReLU: true, Int8: true}, n.Channels, he)
	// Fixup: the first convolution of a block starts smaller the more blocks there
	// are, by 1/√blocks with two layers a block, and the second one at zero.
	smaller := func(fan int) float64 { return he(fan) / math.Sqrt(float64(n.Blocks)) }
	zero := func(int) float64 { return 0 }
	for i := range n.Blocks {
		name := fmt.Sprintf("block%d", i)
		y := a.add(Layer{Name: name + ".conv1", From: x, K: 3, ReLU: true, Int8: true}, n.Channels, smaller)
		x = a.add(Layer{Name: name + ".conv2", From: y, Add: x, K: 3, ReLU: true, Int8: true}, n.Channels, zero)
	}
	return x
}

// policy adds the policy head.
func (a *Architecture) policy(n Network, trunk string) {
	y := ""
	if planes, ok := n.convPolicy(); ok {
		y = a.add(Layer{Name: "policy", From: trunk, K: 1, Int8: true}, planes, small)
	} else {
		y = a.add(Layer{Name: "policy", From: trunk, K: 1, ReLU: true, Int8: true}, n.PolicyPlanes, he)
		y = a.add(Layer{Name: "policy.dense", Kind: Dense, From: y}, n.Actions, small)
	}
	a.Heads = append(a.Heads, Head{Name: "policy", From: y, Kind: Logits, Target: TargetPolicy, Unit: 1, Weight: 1, Plays: true})
}

// value adds the features of the value and the heads that read them.
func (a *Architecture) value(n Network, trunk string) {
	v := a.add(Layer{Name: "value", From: trunk, K: 1, ReLU: true, Int8: true}, n.ValuePlanes, he)
	v = a.add(Layer{Name: "value.hidden", Kind: Dense, From: v, ReLU: true}, n.ValueFeatures, he)
	a.values(n, v)
}

// values adds the outputs that read the value's features v: the value and the auxiliary outputs
// of the network.
func (a *Architecture) values(n Network, v string) {
	out := a.add(Layer{Name: "value.out", Kind: Dense, From: v}, 1, small)
	a.Heads = append(a.Heads, Head{Name: "value", From: out, Kind: Win, Target: TargetOutcome, Unit: 1, Weight: 1, Plays: true})
	if n.Margin > 0 {
		out = a.add(Layer{Name: "margin.out", Kind: Dense, From: v}, 1, small)
		a.Heads = append(a.Heads, Head{Name: "margin", From: out, Kind: Amount, Target: TargetMargin, Unit: float32(n.Margin), Weight: 1})
	}
}

// add appends a layer with that number of output channels, fills in its sizes and
// returns its name. deviation gives Layer.Deviation, from fan, the number of inputs that
// each output reads; nil for a layer without weights.
func (a *Architecture) add(l Layer, channels int, deviation func(fan int) float64) string {
	l.In = a.Planes
	if l.From != "" {
		l.In = a.layer(l.From).Out
	}
	l.Out = engine.Shape{C: channels, H: 1, W: 1}
	if l.Kind == Convolution {
		l.Out.H, l.Out.W = l.In.H, l.In.W
	}
	if deviation != nil {
		_, _, in, _, k := l.sizes()
		l.Deviation = deviation(k * k * in)
	}
	a.Layers = append(a.Layers, l)
	return l.Name
}

// he is the deviation of weights with which a layer and its ReLU keep activations
// as large as they were (He et al. 2015).
func he(fan int) float64 { return math.Sqrt(2 / float64(fan)) }

// small is the deviation for output layers, whose first results are near zero.
func small(fan int) float64 { return 0.1 * he(fan) }
