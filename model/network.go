package model

import (
	"fmt"
	"math"

	"dojo.example/engine"
)

// Network is a policy/value network without its parameters: the sizes of what it reads and
// answers, which the game decides, and those of its layers, which are of one of two kinds.
// Architecture lists the layers.
type Network struct {
	Planes  engine.Shape // of a position; a sparse network does not read them
	Actions int          // of the game
	Margin  int          // the lead in points that the margin output writes as 1; 0 for games without scores
	Body    Body         // Residual or Sparse
}

// Body is the sizes of the layers of one kind of network. The values of two networks of equal sizes are equal.
type Body interface {
	// Kind is the name of the kind: KindResidual or KindSparse.
	Kind() string

	fit(spec engine.Spec) Body // with the sizes that come from the game
	describe() (sizes, reads string)
	sizes() []size
	fits(actions int) error // reports sizes that no game has
	newInput(n Network) engine.Input
	layers(a *Architecture, n Network) (policy, value string) // adds layers; returns those that give the logits and the features of the value
}

// The names of the two kinds of networks.
const (
	KindResidual = "residual"
	KindSparse   = "sparse"
)

// Kind is the name of the network's kind.
func (n Network) Kind() string { return n.Body.Kind() }

// Sizes describes the network's kind and main sizes for messages.
func (n Network) Sizes() string {
	sizes, _ := n.Body.describe()
	return sizes
}

// Reads describes what the network reads, for messages.
func (n Network) Reads() string {
	if _, reads := n.Body.describe(); reads != "" {
		return reads
	}
	return fmt.Sprintf("%d×%d×%d", n.Planes.H, n.Planes.W, n.Planes.C)
}

// For returns the network with the sizes of a game's input and actions.
func (n Network) For(spec engine.Spec) Network {
	return Network{Planes: spec.Planes, Actions: spec.Actions, Margin: n.Margin, Body: n.Body.fit(spec)}
}

// NewInput returns an Input without rows for positions that the network learns from.
func (n Network) NewInput() engine.Input { return n.Body.newInput(n) }

// A size is a setting of a network and what it may be.
type size struct {
	key                      string
	n, multiple, least, most int
}

// Validate reports the first impossible value, naming its key.
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

// fits reports sizes of the input and the output that no game has, as a damaged checkpoint may say.
func (n Network) fits() error {
	const maxInputs = 1 << 20 // small enough that no product of sides overflows
	planes := n.Planes
	if min(planes.C, planes.H, planes.W) < 1 || max(planes.C, planes.H, planes.W) > maxInputs || planes.Size() > maxInputs || n.Actions < 1 || n.Actions > 1<<16 {
		return fmt.Errorf("%d×%d×%d planes, %d actions", planes.H, planes.W, planes.C, n.Actions)
	}
	return n.Body.fits(n.Actions)
}

// CheckGame returns an error if the network cannot play the game of spec.
func (n Network) CheckGame(spec engine.Spec) error {
	if n.Kind() == KindSparse && spec.Features == 0 {
		return fmt.Errorf("kind: a %s network reads features, and %s lists none", KindSparse, spec.Name)
	}
	if err := n.For(spec).fits(); err != nil {
		return fmt.Errorf("kind: a %s network cannot read those of %s: %w", n.Kind(), spec.Name, err)
	}
	return nil
}

// Params lists every parameter, in the order in which they are stored.
func (n Network) Params() (all []Param) {
	for _, l := range n.Architecture().Layers {
		all = append(all, l.Params()...)
	}
	return all
}

// Architecture is the network as a list of layers and heads.
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
