package model

import (
	"slices"

	"dojo.example/engine"
	"dojo.example/model/kernel"
)

// Architecture describes a network as a list of layers and a list of heads. Each layer reads only
// the network's input or the results of earlier layers. All code that handles networks walks
// through this list and does not know any layer by its name. This includes the code for the
// parameters and their initial values, [Net], calibration, the training graph, ONNX and the count
// of operations.
type Architecture struct {
	Planes engine.Shape // shape of the input; if Lists is set, C is the number of features
	// The network reads lists of active features instead of planes, and computes logits only for
	// legal actions.
	Lists bool

	Layers []Layer
	Heads  []Head
}

// Kind says what a layer computes.
type Kind int

// The kinds of layers.
const (
	Convolution Kind = iota // K×K cells with K = 1 or 3, stride 1, padded with zeros
	Dense                   // each output is a weighted sum of all numbers of the board
	FeatureSum              // a dense layer whose input is 1 for active features and 0 for all others
	// A dense layer that computes only the outputs of the legal actions, in the order in which the
	// position lists them.
	SelectedDense
)

// Layer describes one layer. It computes f(From) + Add, where f is the operation of its Kind with
// the layer's weights. If ReLU is set, it then applies relu.
type Layer struct {
	Name string
	Kind Kind
	From string // name of the layer that this layer reads; "" for the input of the network
	Add  string // name of a layer whose results are added to f(From); "" for none
	In   engine.Shape
	Out  engine.Shape
	K    int  // width of a convolution's kernel
	ReLU bool // the layer applies relu, which replaces negative results by 0

	// Active is the largest number of features that can be active in one position. It is set only
	// for a FeatureSum.
	Active int

	// ActionFeatures is the number of action features of a SelectedDense layer. The layer's matrix
	// has a row for each action and, after these, a row for each action feature. The weights for an
	// action are the sum of the action's row and the rows of its PerAction action features.
	ActionFeatures, PerAction int

	// Deviation is the standard deviation of the weights before training. Biases start at zero.
	Deviation float64

	// Int8 says that the layer may be computed with 8-bit integers. The input of such a layer must
	// be the planes, or the results of another Int8 layer that has a ReLU and a multiple of 16
	// channels.
	Int8 bool
}

// HeadKind says what the outputs of a head mean and how they are trained. All outputs are seen from
// the side of the player to move.
type HeadKind int

// The kinds of heads.
const (
	// A Logits head outputs a logit for every action. Its loss in training is the cross entropy
	// with a target distribution over the legal actions.
	Logits HeadKind = iota

	// A Win head outputs a number x; tanh x is the expected outcome in [-1, 1]. Its loss in
	// training is the cross entropy of the win probability.
	Win

	// An Amount head outputs the lead at the end of the game, in units of Head.Unit points. Its
	// loss in training is the Huber loss of this number. Searches do not read it; see
	// Checkpoint.Leads.
	Amount
)

// Head is an output of the network.
type Head struct {
	Name string
	From string // name of the layer whose results are the head's outputs
	Kind HeadKind
	// For an Amount: how many points one unit of the output stands for; for other kinds: 1.
	Unit float32
}

// layer returns the layer with the given name, which must exist.
func (a Architecture) layer(name string) Layer {
	return a.Layers[slices.IndexFunc(a.Layers, func(l Layer) bool { return l.Name == name })]
}

// Convolution returns the kernel that computes the layer. All weights of the kernel are zero. A
// dense layer is computed as a 1×1 convolution on boards of one cell.
func (l Layer) Convolution() *kernel.Conv { return kernel.NewConv(l.sizes()) }

// sizes returns the arguments of kernel.NewConv for the layer.
func (l Layer) sizes() (h, w, in, out, k int) {
	if l.Kind == Dense || l.Kind == FeatureSum || l.Kind == SelectedDense {
		return 1, 1, l.In.Size(), l.Out.C, 1
	}
	return l.In.H, l.In.W, l.In.C, l.Out.C, l.K
}

// Param is the name and the shape of one parameter tensor. The shapes of weights are
// [ky][kx][in][out] for a convolution, [in][out] for Dense and FeatureSum, and [rows][in] for
// SelectedDense, with one row for each action and then one row for each action feature. The shape
// of biases is [out] or [rows].
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
	return []Param{{l.Name + ".weight", shape}, {l.Name + ".bias", []int{out}}}
}

// Playing returns, in order, the layers on which the heads used in play depend. Heads of the kind
// Amount are not used in play.
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

// Operations returns the number of arithmetic operations in one evaluation by the layers that
// Playing returns. Each product of a weight and an input counts as two operations, a multiplication
// and an addition. Products with the padding and the work between layers do not count. For
// FeatureSum, Operations assumes that as many features are active as possible. It leaves out
// SelectedDense, because the number of legal actions is not known.
func (a Architecture) Operations() float64 {
	products := 0
	for _, l := range a.Playing() {
		h, w, in, out, k := l.sizes()
		switch {
		case l.Kind == FeatureSum:
			products += l.Active * out
		// The three columns of the 3×3 window read 3w-2 cells of a row of w cells, because the
		// padding does not count.
		case k == 3:
			products += (3*h - 2) * (3*w - 2) * in * out
		case l.Kind != SelectedDense:
			products += h * w * in * out
		}
	}
	return 2 * float64(products)
}
