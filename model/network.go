package model

import (
	"fmt"
	"math"

	"dojo.example/engine"
)

// Network describes a policy and value network without its parameters. It holds the sizes of the
// input and the output, which depend on the game, and the sizes of the layers, which depend on the
// kind of network. The method Architecture derives the list of layers from these sizes.
type Network struct {
	Planes  engine.Shape // shape of a position's planes; a sparse network does not read planes
	Actions int          // number of actions of the game
	// Number of points of lead per unit of the margin output; 0 if the network has no such output.
	Margin int
	Body   Body // Residual or Sparse
}

// Body holds the sizes of the layers for one kind of network. Two bodies are equal (==) if all
// their sizes are equal.
type Body interface {
	// Kind returns the name of the kind: KindResidual or KindSparse.
	Kind() string

	// Returns the body with the sizes that depend on the game filled in.
	fit(spec engine.Spec) Body
	describe() (sizes, reads string)
	sizes() []size
	// Returns an error if no game with this many actions can have these sizes.
	fits(actions int) error
	newInput(n Network) engine.Input
	// Adds the layers to a. It returns the names of the layer with the logits and of the layer from
	// which the value is computed.
	layers(a *Architecture, n Network) (policy, value string)
}

// The names of the two kinds of networks.
const (
	KindResidual = "residual"
	KindSparse   = "sparse"
)

// Kind returns the name of the network's kind.
func (n Network) Kind() string { return n.Body.Kind() }

// Sizes describes the network's kind and main sizes, for messages.
func (n Network) Sizes() string {
	sizes, _ := n.Body.describe()
	return sizes
}

// Reads describes the input that the network reads, for messages.
func (n Network) Reads() string {
	if _, reads := n.Body.describe(); reads != "" {
		return reads
	}
	return fmt.Sprintf("%d×%d×%d", n.Planes.H, n.Planes.W, n.Planes.C)
}

// For returns the network with its input sizes and number of actions set for a game.
func (n Network) For(spec engine.Spec) Network {
	return Network{Planes: spec.Planes, Actions: spec.Actions, Margin: n.Margin, Body: n.Body.fit(spec)}
}

// NewInput returns an empty input of the kind that the network reads.
func (n Network) NewInput() engine.Input { return n.Body.newInput(n) }

// A size is a setting of a network with the range of its valid values.
type size struct {
	key                      string
	n, multiple, least, most int
}

// Validate returns an error for the first invalid setting. The error begins with the setting's key.
func (n Network) Validate() error {
	for _, x := range append([]size{{"margin", n.Margin, 1, 0, 10000}}, n.Body.sizes()...) {
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

// fits returns an error if no game can have the network's input or output. It detects impossible
// sizes in a damaged checkpoint.
func (n Network) fits() error {
	const maxInputs = 1 << 20 // small enough that the product of the three sides cannot overflow
	planes := n.Planes
	if min(planes.C, planes.H, planes.W) < 1 || max(planes.C, planes.H, planes.W) > maxInputs || planes.Size() > maxInputs || n.Actions < 1 || n.Actions > 1<<16 {
		return fmt.Errorf("%d×%d×%d planes, %d actions", planes.H, planes.W, planes.C, n.Actions)
	}
	return n.Body.fits(n.Actions)
}

// CheckGame returns an error if the network cannot play the game described by spec.
func (n Network) CheckGame(spec engine.Spec) error {
	if n.Kind() == KindSparse && spec.Features == 0 {
		return fmt.Errorf("kind: a %s network reads features, but %s lists none", KindSparse, spec.Name)
	}
	if err := n.For(spec).fits(); err != nil {
		return fmt.Errorf("kind: a %s network cannot play %s: %w", n.Kind(), spec.Name, err)
	}
	return nil
}

// Params lists all parameter tensors, in the order in which checkpoints store them.
func (n Network) Params() (all []Param) {
	for _, l := range n.Architecture().Layers {
		all = append(all, l.Params()...)
	}
	return all
}

// Architecture returns the network's layers and heads.
func (n Network) Architecture() Architecture {
	a := Architecture{Planes: n.Planes}
	policy, value := n.Body.layers(&a, n)
	a.Heads = append(a.Heads, Head{Name: "policy", From: policy, Kind: Logits, Unit: 1})
	out := a.add(Layer{Name: "value.out", Kind: Dense, From: value}, 1, small)
	a.Heads = append(a.Heads, Head{Name: "value", From: out, Kind: Win, Unit: 1})
	if n.Margin > 0 {
		out = a.add(Layer{Name: "margin.out", Kind: Dense, From: value}, 1, small)
		a.Heads = append(a.Heads, Head{Name: "margin", From: out, Kind: Amount, Unit: float32(n.Margin)})
	}
	return a
}

// add appends a layer with the given number of output channels and returns its name. It fills in
// the layer's sizes. deviation computes Layer.Deviation from fan, the number of inputs per output.
// It is nil for a layer without weights.
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

// he returns a standard deviation for the initial weights of a layer with a ReLU. It keeps
// activations about as large after the layer as before it (He et al. 2015).
func he(fan int) float64 { return math.Sqrt(2 / float64(fan)) }

// small returns a standard deviation for the initial weights of output layers. It makes the outputs
// of an untrained network nearly zero.
func small(fan int) float64 { return 0.1 * he(fan) }
