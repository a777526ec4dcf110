package model

import (
	"slices"

	"dojo.example/engine"
	"dojo.example/model/kernel"
)

// Architecture describes a network as a list of layers and a list of heads. Each layer reads only
// the network's input or the results of earlier layers. The code that handles networks follows
// these lists and does not depend on particular layers. This applies to the parameters and their
// initial values, [Net], calibration, the training graph, ONNX and the count of operations.
type Architecture struct {
	Planes engine.Shape // shape of the input; if Lists is set, C is the number of features
	// If Lists is set, the network reads lists of active features instead of planes, and computes
	// logits only for legal actions.
	Lists bool

	Layers []Layer
	Heads  []Head
}

// Kind is the operation of a layer.
type Kind int

// The kinds of layers.
const (
	Convolution Kind = iota // a window of K×K cells with K = 1 or 3, stride 1, zero padding
	Dense                   // each output is a weighted sum of all inputs
	FeatureSum              // a dense layer whose input is 1 for active features and 0 for all others
	// A dense layer that computes only the outputs for the legal actions, in the order of the
	// position's list of legal actions.
	SelectedDense
)

// Layer describes one layer. It computes f(From) + Add, where f is the operation of its Kind with
// the layer's own weights. If ReLU is set, it applies relu to this sum.
type Layer struct {
	Name string
	Kind Kind
	From string // name of the layer whose results are the input; "" for the network's input
	Add  string // name of a layer whose results are added to f(From); "" for none
	In   engine.Shape
	Out  engine.Shape
	K    int  // width of a convolution's kernel
	ReLU bool // apply relu, which replaces negative results by 0

	// Active is the maximum number of active features in a position. It is set only for FeatureSum.
	Active int

	// ActionFeatures is the number of action features of a SelectedDense layer. The layer's matrix
	// has one row for each action, followed by one row for each action feature. Each action has
	// PerAction action features. The weights for an action are the sum of its own row and the rows
	// of these features.
	ActionFeatures, PerAction int

	// Deviation is the standard deviation of the initial random weights. Biases start at zero.
	Deviation float64

	// Int8 says that the layer may be computed with 8-bit integers. Such a layer must read the
	// planes or the results of another Int8 layer, which must have a ReLU and a multiple of 16
	// channels.
	Int8 bool

	// Half says that a checkpoint stores the weights in 16 bits, as safetensors' type F16.
	Half bool
}

// HeadKind determines what the outputs of a head mean and how they are trained. All outputs are
// from the point of view of the player to move.
type HeadKind int

// The kinds of heads.
const (
	// A Logits head outputs a logit for every action. Its training loss is the cross entropy with a
	// target distribution over the legal actions.
	Logits HeadKind = iota

	// A Win head outputs a number x; tanh x is the expected outcome in [-1, 1]. Its training loss
	// is the cross entropy of the win probability.
	Win

	// An Amount head outputs the predicted lead at the end of the game, in units of Head.Unit
	// points. Its training loss is the Huber loss of this number. Searches do not use it; see
	// Checkpoint.Leads.
	Amount
)

// Head is an output of the network.
type Head struct {
	Name string
	From string // name of the layer whose results are the head's outputs
	Kind HeadKind
	// For an Amount head, the number of points per unit of output; for other kinds, 1.
	Unit float32
}

// layer returns the layer with the given name, which must exist.
func (a Architecture) layer(name string) Layer {
	return a.Layers[slices.IndexFunc(a.Layers, func(l Layer) bool { return l.Name == name })]
}

// Convolution returns the kernel that computes the layer. The kernel's weights are still zero. A
// dense layer becomes a 1×1 convolution on boards of one cell.
func (l Layer) Convolution() *kernel.Conv { return kernel.NewConv(l.sizes()) }

// sizes returns the arguments of kernel.NewConv for the layer.
func (l Layer) sizes() (h, w, in, out, k int) {
	if l.Kind == Dense || l.Kind == FeatureSum || l.Kind == SelectedDense {
		return 1, 1, l.In.Size(), l.Out.C, 1
	}
	return l.In.H, l.In.W, l.In.C, l.Out.C, l.K
}

// Param describes a parameter tensor by its name and shape. The shapes of weights are
// [ky][kx][in][out] for a convolution, [in][out] for Dense and FeatureSum, and [rows][in] for
// SelectedDense, with one row for each action and then one row for each action feature. The shape
// of biases is [out] or [rows].
type Param struct {
	Name  string
	Shape []int
	Half  bool // whether a checkpoint stores the tensor in 16 bits; see Layer.Half
}

// Size returns the number of elements of the tensor.
func (p Param) Size() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Params returns the tensors of the layer: its weights, then its biases.
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
	return []Param{{l.Name + ".weight", shape, l.Half}, {l.Name + ".bias", []int{out}, false}}
}

// Playing returns the layers that are needed in play, in order: those on which any head other than
// an Amount depends.
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

// Operations returns the number of arithmetic operations in one evaluation in play (see Playing).
// Each product of a weight and an input counts as two operations, a multiplication and an addition.
// Products with the padding and the work between layers do not count. For FeatureSum, the count is
// for the maximum number of active features. SelectedDense is left out, because the number of legal
// actions is not known.
func (a Architecture) Operations() float64 {
	products := 0
	for _, l := range a.Playing() {
		h, w, in, out, k := l.sizes()
		switch {
		case l.Kind == FeatureSum:
			products += l.Active * out
		// In a row of w cells, the three columns of the 3×3 window read 3w-2 cells in total,
		// because two would be in the padding.
		case k == 3:
			products += (3*h - 2) * (3*w - 2) * in * out
		case l.Kind != SelectedDense:
			products += h * w * in * out
		}
	}
	return 2 * float64(products)
}
