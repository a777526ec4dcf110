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

// SparseSizes is the sizes of a network of the Sparse kind, a small perceptron. Its
// first layer adds the weights of a position's active features, a column of C numbers
// each. It computes the logits of legal actions alone.
//
//	features -> sum of columns C, relu
//	policy:  C -> dense P, relu -> logits of the legal actions: P × the action's row,
//	         plus P × the row of each feature of the action if Network.ActionRows
//	value:   C -> dense V, relu -> dense H, relu -> dense 1 -> tanh
//	margin:  the H numbers of the value -> dense 1       if Network.Margin > 0; see Checkpoint.Leads
type SparseSizes struct {
	Columns int `yaml:"columns" json:"columns"` // C, a multiple of 32
	Policy  int `yaml:"policy" json:"policy"`   // P, a multiple of 32
	Value   int `yaml:"value" json:"value"`     // V, a multiple of 16
	Hidden  int `yaml:"hidden" json:"hidden"`   // H, a multiple of 16

	// Sizes that come from the game: how many features there are, and how many
	// are active at once, at most.
	Features int `yaml:"-" json:"features"`
	Active   int `yaml:"-" json:"active"`
}

// DefaultNetwork is small enough for one core. If its kind is changed to Sparse, an evaluation
// takes less than a microsecond.
func DefaultNetwork() Network {
	return Network{
		Channels: 64, Blocks: 4, PolicyPlanes: 8, ValuePlanes: 8, ValueFeatures: 64,
		Kind: Residual, Sparse: SparseSizes{Columns: 256, Policy: 32, Value: 32, Hidden: 16}, ActionRows: true,
	}
}

// DefaultStudent is the network that learns from others: the default of the Sparse kind.
func DefaultStudent() Network {
	n := DefaultNetwork()
	n.Kind = Sparse
	return n
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
	type size struct {
		key                      string
		n, multiple, least, most int
	}
	sizes := []size{{"margin", n.Margin, 1, 0, 10000}}
	switch x := n.Sparse; n.Kind {
	case Sparse:
		sizes = append(sizes, size{"sparse: columns", x.Columns, 32, 32, 4096}, size{"sparse: policy", x.Policy, 32, 32, 4096},
			size{"sparse: value", x.Value, 16, 16, 4096}, size{"sparse: hidden", x.Hidden, 16, 16, 4096})
	case "", Residual:
		sizes = append(sizes, size{"channels", n.Channels, 16, 16, 1024}, size{"blocks", n.Blocks, 1, 0, 100}, size{"policy_planes", n.PolicyPlanes, 1, 1, 1024},
			size{"value_planes", n.ValuePlanes, 1, 1, 1024}, size{"value_features", n.ValueFeatures, 1, 1, 4096})
	default:
		return fmt.Errorf("kind: %q is neither %s nor %s", n.Kind, Residual, Sparse)
	}
	for _, x := range sizes {
		if x.n < x.least || x.n > x.most || x.n%x.multiple != 0 {
			multiple := ""
			if x.multiple > 1 {
				multiple = fmt.Sprintf("a multiple of %d ", x.multiple)
			}
			return fmt.Errorf("%s: %d is not %sbetween %d and %d", x.key, x.n, multiple, x.least, x.most)
		}
	}
	return nil
}

// fits reports sizes of the input and the output that no game has, as a damaged checkpoint may say.
func (n Network) fits() error {
	const maxInputs = 1 << 20 // small enough that no product of sides overflows
	planes, x := n.Planes, n.Sparse
	switch {
	case min(planes.C, planes.H, planes.W) < 1 || max(planes.C, planes.H, planes.W) > maxInputs || planes.Size() > maxInputs || n.Actions < 1 || n.Actions > 1<<16:
		return fmt.Errorf("%d×%d×%d planes, %d actions", planes.H, planes.W, planes.C, n.Actions)
	case n.Kind == Sparse && (x.Features < 1 || x.Features > 1<<16 || x.Active < 1 || x.Active > x.Features):
		return fmt.Errorf("%d features, of which %d are active at once; a network reads 1 to %d, and no more at once", x.Features, x.Active, 1<<16)
	case n.ActionFeatures < 0 || n.ActionFeatures > 1<<16 || n.PerAction < 0 || n.PerAction > 2 || (n.ActionFeatures == 0) != (n.PerAction == 0):
		return fmt.Errorf("%d features of actions, %d of each; a network reads up to %d, and up to 2 of each", n.ActionFeatures, n.PerAction, 1<<16)
	}
	return nil
}

// CheckGame returns an error if the network cannot play the game of spec.
func (n Network) CheckGame(spec engine.Spec) error {
	if n.Kind == Sparse && spec.Features == 0 {
		return fmt.Errorf("kind: a %s network reads features, and %s lists none", Sparse, spec.Name)
	}
	if err := n.For(spec).fits(); err != nil {
		return fmt.Errorf("kind: a %s network cannot read those of %s: %w", Sparse, spec.Name, err)
	}
	return nil
}

// CheckKey returns an error if key, such as "sparse.columns", is a size of the kind that the
// network is not.
func (n Network) CheckKey(key string) error {
	kind, of := n.Configured().Kind, Residual
	switch first, _, _ := strings.Cut(key, "."); first {
	case "kind", "margin":
		return nil
	case "sparse", "action_rows":
		of = Sparse
	}
	if of == kind {
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

// Params lists every parameter, in the order in which they are stored.
func (n Network) Params() []Param { return n.Architecture().Params() }

// Architecture is the network as a list of layers and heads.
func (n Network) Architecture() Architecture {
	a := Architecture{Planes: n.Planes}
	var policy, value string // the layers that give the logits and the features of the value
	if n.Kind == Sparse {
		a.Planes, a.Lists = engine.Shape{C: n.Sparse.Features, H: 1, W: 1}, true
		policy, value = a.perceptron(n)
	} else {
		policy, value = a.residual(n)
	}
	a.Heads = append(a.Heads, Head{Name: "policy", From: policy, Kind: Logits, Unit: 1})
	out := a.add(Layer{Name: "value.out", Kind: Dense, From: value}, 1, small)
	a.Heads = append(a.Heads, Head{Name: "value", From: out, Kind: Win, Unit: 1})
	if n.Margin > 0 {
		out = a.add(Layer{Name: "margin.out", Kind: Dense, From: value}, 1, small)
		a.Heads = append(a.Heads, Head{Name: "margin", From: out, Kind: Amount, Unit: float32(n.Margin)})
	}
	return a
}

// residual adds the layers of the Residual kind.
func (a *Architecture) residual(n Network) (policy, value string) {
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
	if cells := n.Planes.Cells(); n.Actions%cells == 0 {
		policy = a.add(Layer{Name: "policy", From: x, K: 1, Int8: true}, n.Actions/cells, small)
	} else {
		policy = a.add(Layer{Name: "policy", From: x, K: 1, ReLU: true, Int8: true}, n.PolicyPlanes, he)
		policy = a.add(Layer{Name: "policy.dense", Kind: Dense, From: policy}, n.Actions, small)
	}
	value = a.add(Layer{Name: "value", From: x, K: 1, ReLU: true, Int8: true}, n.ValuePlanes, he)
	return policy, a.add(Layer{Name: "value.hidden", Kind: Dense, From: value, ReLU: true}, n.ValueFeatures, he)
}

// perceptron adds the layers of the Sparse kind.
func (a *Architecture) perceptron(n Network) (policy, value string) {
	// A sum has only the active features, so that its variance is theirs.
	first := func(int) float64 { return he(n.Sparse.Active) }
	x := a.add(Layer{Name: "columns", Kind: FeatureSum, Active: n.Sparse.Active, ReLU: true, Int8: true}, n.Sparse.Columns, first)
	policy = a.add(Layer{Name: "policy", Kind: Dense, From: x, ReLU: true, Int8: true}, n.Sparse.Policy, he)
	policy = a.add(Layer{Name: "policy.out", Kind: SelectedDense, From: policy, Int8: true, ActionFeatures: n.ActionFeatures, PerAction: n.PerAction}, n.Actions, small)
	value = a.add(Layer{Name: "value", Kind: Dense, From: x, ReLU: true, Int8: true}, n.Sparse.Value, he)
	return policy, a.add(Layer{Name: "value.hidden", Kind: Dense, From: value, ReLU: true, Int8: true}, n.Sparse.Hidden, he)
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
