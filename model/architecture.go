package model

import (
	"slices"

	"dojo.example/engine"
	"dojo.example/model/kernel"
)

// Architecture describes a network as a list of layers and a list of heads. Each layer reads only
// the network's input or the results of earlier layers. All code that handles networks walks
// through this list and does not know layers by name: the parameters and their first values, [Net],
// calibration, the training graph, ONNX and the count of operations.
type Architecture struct {
	Planes engine.Shape // shape of the input; if Lists, C is the number of features
	Lists  bool         // the network reads lists of features, not planes, and computes logits only for legal actions

	Layers []Layer
	Heads  []Head
}

// Kind says what a layer computes.
type Kind int

// The kinds of layers.
const (
	Convolution   Kind = iota // K×K (1 or 3), stride 1, padded with zeros
	Dense                     // every output reads every number of the board
	FeatureSum                // a dense layer whose input is 1 for active features and 0 for all others
	SelectedDense             // a dense layer that computes only the outputs of legal actions, in the order of their list
)

// Layer describes one layer. A layer computes relu(f(From) + Add), where f is the function of its
// Kind with the layer's weights.
type Layer struct {
	Name string
	Kind Kind
	From string // name of the layer that this layer reads; "" for the input of the network
	Add  string // name of a layer whose results are added to this layer's; "" for none
	In   engine.Shape
	Out  engine.Shape
	K    int  // width of a convolution's kernel
	ReLU bool // negative results become 0

	// Active is the largest number of features of a FeatureSum that can be active at once.
	Active int

	// ActionFeatures is the number of rows of weights that a SelectedDense layer has after the rows
	// of the actions. Of these, PerAction rows are added to an action's own row.
	ActionFeatures, PerAction int

	// Deviation is the standard deviation of the weights before training. Biases start at zero.
	Deviation float64

	// Int8 says that the layer may be computed in 8 bits. Such a layer must read the planes, or
	// another Int8 layer that has a ReLU and a multiple of 16 channels.
	Int8 bool
}

// HeadKind says what the outputs of a head mean and how they are trained. All outputs are for the
// player to move.
type HeadKind int

// The kinds of heads.
const (
	// Logits gives a logit for every action. It is trained by cross entropy with a distribution
	// over the legal actions.
	Logits HeadKind = iota

	// Win gives x, where tanh x is the expected outcome in [-1, 1]. It is trained by cross entropy
	// of the win probability.
	Win

	// Amount gives the lead at the end of the game, in units of Head.Unit points. It is trained by
	// Huber loss in these units. Searches do not read it; see Checkpoint.Leads.
	Amount
)

// Head is an output of the network.
type Head struct {
	Name string
	From string // name of the layer whose results the head takes
	Kind HeadKind
	Unit float32 // for an Amount: how many points the network represents as 1; otherwise 1
}

// layer returns the layer with the given name, which must exist.
func (a Architecture) layer(name string) Layer {
	return a.Layers[slices.IndexFunc(a.Layers, func(l Layer) bool { return l.Name == name })]
}

// Convolution returns the kernel that computes the layer, with all weights zero. A dense layer is a
// 1×1 convolution on boards of one cell.
func (l Layer) Convolution() *kernel.Conv { return kernel.NewConv(l.sizes()) }

// sizes returns the arguments of kernel.NewConv for the layer.
func (l Layer) sizes() (h, w, in, out, k int) {
	if l.Kind == Dense || l.Kind == FeatureSum || l.Kind == SelectedDense {
		return 1, 1, l.In.Size(), l.Out.C, 1
	}
	return l.In.H, l.In.W, l.In.C, l.Out.C, l.K
}

// Param is the name and the shape of one parameter tensor. The weights of a convolution are
// [ky][kx][in][out], the weights of Dense and FeatureSum [in][out], and the weights of
// SelectedDense [rows][in]. The rows of SelectedDense are the actions, then the features of
// actions. Biases are [out] or [rows].
type Param struct {
	Name  string
	Shape []int
}

// Size returns the number of elements of the tensor.
func (p Param) Size() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Params returns the layer's weights and then its biases.
func (l Layer) Params() []Param {
	_, _, in, out, k := l.sizes()
	shape := []int{k, k, in, out}
	switch l.Kind {
	case Dense, FeatureSum:
		shape = shape[2:]
	case SelectedDense:
		out += l.ActionFeatures
		shape = []int{out, in}
	}
	return []Param{{l.Name + ".weight", shape}, {l.Name + ".bias", []int{out}}}
}

// Playing returns the layers that are needed to compute the heads used in play, in order. An Amount
// is not used in play.
func (a Architecture) Playing() []Layer {
	needed := map[string]bool{}
	for _, h := range a.Heads {
		needed[h.From] = needed[h.From] || h.Kind != Amount
	}
	var list []Layer
	for _, l := range slices.Backward(a.Layers) {
		if needed[l.Name] {
			needed[l.From], needed[l.Add] = true, true
			list = append(list, l)
		}
	}
	slices.Reverse(list)
	return list
}

// Operations returns the number of arithmetic operations in one evaluation: a multiplication and an
// addition for each product of a weight, in the layers that Playing returns. It counts neither
// products with the padding nor anything between the layers. For FeatureSum it assumes that as many
// features are active as possible. It leaves out SelectedDense, because the number of legal actions
// is not known.
func (a Architecture) Operations() float64 {
	products := 0
	for _, l := range a.Playing() {
		h, w, in, out, k := l.sizes()
		switch {
		case l.Kind == FeatureSum:
			products += l.Active * out
		case k == 3: // for a row of w cells, the three columns of taps read 3w-2 cells on the board
			products += (3*h - 2) * (3*w - 2) * in * out
		case l.Kind != SelectedDense:
			products += h * w * in * out
		}
	}
	return 2 * float64(products)
}
