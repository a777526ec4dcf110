package model

import (
	"slices"

	"dojo.example/engine"
	"dojo.example/model/kernel"
)

// Architecture is a network as a list: its layers, each of which reads only the
// planes or earlier layers, and its heads. Whatever handles a network goes through
// this list and knows no layer by name: parameters and their first values, [Net],
// calibration, the training graph, ONNX and the count of operations.
type Architecture struct {
	Planes engine.Shape // of the input; if Lists, C is the number of features
	Lists  bool         // the network reads lists of features instead of planes, and computes no logits but those of legal actions

	Layers []Layer
	Heads  []Head
}

// Kind is what a layer computes.
type Kind int

// The kinds of layers.
const (
	Convolution   Kind = iota // K×K (1 or 3), stride 1, padded with zeros
	Dense                     // every output reads every number of the board
	FeatureSum                // as Dense, for an input of which the active features are 1 and all others 0
	SelectedDense             // as Dense, but only the outputs of legal actions, in the order of their list
)

// Layer is one layer: relu(f(From) + Add), where f is the Kind's function with
// the layer's weights.
type Layer struct {
	Name string
	Kind Kind
	From string // the name of the layer that it reads; "" for the planes
	Add  string // the name of the layer whose results are added to its own; "" for none
	In   engine.Shape
	Out  engine.Shape
	K    int  // width of a convolution's kernel
	ReLU bool // negative results become 0

	// Active is how many features of FeatureSum are active at once, at most.
	Active int

	// ActionFeatures is how many rows of weights a SelectedDense layer has after those of the actions.
	// PerAction of them are added to an action's own row.
	ActionFeatures, PerAction int

	// Deviation is the standard deviation of the first weights; biases start
	// at zero.
	Deviation float64

	// Int8 says that the layer may be computed in 8 bits. Such a
	// layer must read the planes, or another Int8 layer that has a ReLU and a
	// multiple of 16 channels.
	Int8 bool
}

// HeadKind is what a head's numbers mean and what it learns, for the player to move.
type HeadKind int

// The kinds of heads.
const (
	Logits HeadKind = iota // a logit for every action; learns a distribution over the legal ones by cross entropy
	Win                    // x, where tanh x is the expected outcome in [-1, 1]; learnt by cross entropy of the win probability
	Amount                 // the lead at the end in units of Head.Unit points; learnt by Huber loss in these units. No search reads it; see Checkpoint.Leads
)

// Head is an output of the network.
type Head struct {
	Name string
	From string // the layer whose results it takes
	Kind HeadKind
	Unit float32 // of an Amount: how many points the network writes as 1; else 1
}

// layer returns the layer with a name that exists.
func (a Architecture) layer(name string) Layer {
	return a.Layers[slices.IndexFunc(a.Layers, func(l Layer) bool { return l.Name == name })]
}

// Convolution is the layer's arithmetic with all weights zero. A dense layer is
// a 1×1 convolution on boards of one cell.
func (l Layer) Convolution() *kernel.Conv { return kernel.NewConv(l.sizes()) }

// sizes returns the arguments of kernel.NewConv for the layer.
func (l Layer) sizes() (h, w, in, out, k int) {
	if l.Kind == Dense || l.Kind == FeatureSum || l.Kind == SelectedDense {
		return 1, 1, l.In.Size(), l.Out.C, 1
	}
	return l.In.H, l.In.W, l.In.C, l.Out.C, l.K
}

// Param is the name and shape of one parameter tensor. Convolution weights
// are [ky][kx][in][out], those of Dense and FeatureSum [in][out], those of SelectedDense
// [rows][in], and biases [out] or [rows]. Rows are those of the actions and then those
// of features of actions.
type Param struct {
	Name  string
	Shape []int
}

// Size is the number of elements.
func (p Param) Size() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Params lists the layer's weights and then its biases.
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

// Playing lists the layers that are needed to compute the heads that play, in order.
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

// Operations is the number of arithmetic operations of one evaluation: a multiply
// and an add for each product of a weight in the layers that play. Products with
// the padding do not count, nor does anything between the layers. FeatureSum counts as
// if as many features were active as can be. SelectedDense does not count, because the
// number of legal actions is not known.
func (a Architecture) Operations() float64 {
	products := 0
	for _, l := range a.Playing() {
		h, w, in, out, k := l.sizes()
		switch {
		case l.Kind == FeatureSum:
			products += l.Active * out
		case k == 3: // a row of w cells has 3w-2 neighbours on the board, itself included
			products += (3*h - 2) * (3*w - 2) * in * out
		case l.Kind != SelectedDense:
			products += h * w * in * out
		}
	}
	return 2 * float64(products)
}
