package model

import (
	"slices"

	"dojo/engine"
	"dojo/model/kernel"
)

// Architecture is a network as a list: its layers, each of which reads only the
// planes or earlier layers, and its heads. All that is made of a network
// interprets this list and knows no layer by name: parameters, first weights,
// [Net], [Quant], calibration, the training graph, ONNX and the count of
// operations.
type Architecture struct {
	Planes engine.Shape // of the input; C numbers a position if it is features

	// Lists says that the input is features, and not planes, and that the
	// logits are those of the legal actions: see Batch.Lists.
	Lists bool

	Layers []Layer
	Heads  []Head
}

// Kind is what a layer computes.
type Kind int

// The kinds of layers.
const (
	Convolution Kind = iota // K×K (1 or 3), stride 1, padded with zeros
	Dense                   // every output reads every number of the board
	Pooling                 // each channel's mean over the board, then each channel's maximum
	Columns                 // the sum of the columns of the active features, which are 1; the others are 0
	Chosen                  // as Dense, but only those outputs that are legal actions, in their order
)

// Layer is one layer: relu(f(From) + Add), where f is the Kind's function with
// the layer's weights. A Pooling has no weights, no Add and no ReLU.
type Layer struct {
	Name string
	Kind Kind
	From string // the layer that it reads; "" for the planes
	Add  string // the layer whose results are added to its own; "" for none
	In   engine.Shape
	Out  engine.Shape
	K    int // width of a convolution's kernel
	ReLU bool

	// Active is the most features that Columns adds up.
	Active int

	// Deviation is the standard deviation of the first weights; biases start
	// at zero.
	Deviation float64

	// Int8 says that Quant computes the layer in 8 bits, and not in floats. It
	// must read the planes or another such layer that has a ReLU and a multiple
	// of 16 channels.
	Int8 bool
}

// HeadKind is what a head's numbers mean and how they are learnt.
type HeadKind int

// The kinds of heads.
const (
	Logits HeadKind = iota // of the actions; learnt by cross entropy over the legal ones
	Win                    // tanh of it is the expected outcome; learnt by cross entropy of the win probability
	Amount                 // a number counted in Units; learnt by Huber loss in Units
)

// Target is the column of the training data that a head learns. All are seen
// by the player to move.
type Target int

// The targets.
const (
	TargetPolicy    Target = iota // a distribution over the actions
	TargetOutcome                 // in [-1, 1]
	TargetMargin                  // the mover's lead at the end, in points
	TargetTurnsLeft               // actions from here to the end of the game
	Targets                       // how many there are
)

// Head is an output of the network.
type Head struct {
	Name   string
	From   string // the layer whose results it takes
	Kind   HeadKind
	Target Target
	Unit   float32 // how much of the target the network writes as 1; 1 but for an Amount
	Weight float32 // of its loss, unless the trainer's configuration has a key for it

	// Plays says that evaluators compute the head. The others only train.
	Plays bool
}

// layer is the layer of a name.
func (a Architecture) layer(name string) Layer {
	return a.Layers[slices.IndexFunc(a.Layers, func(l Layer) bool { return l.Name == name })]
}

// Convolution is the layer's arithmetic with all weights zero. A dense layer is
// a 1×1 convolution on boards of one cell.
func (l Layer) Convolution() *kernel.Conv { return kernel.NewConv(l.sizes()) }

func (l Layer) sizes() (h, w, in, out, k int) {
	if l.Kind == Dense || l.Kind == Columns || l.Kind == Chosen {
		return 1, 1, l.In.Size(), l.Out.C, 1
	}
	return l.In.H, l.In.W, l.In.C, l.Out.C, l.K
}

// Param is the name and shape of one parameter tensor. Convolution weights
// are [ky][kx][in][out], those of Dense and Columns [in][out], those of Chosen
// [out][in], and biases [out].
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

// Params are the layer's weights and then its biases; none of a pooling.
func (l Layer) Params() []Param {
	_, _, in, out, k := l.sizes()
	shape := []int{k, k, in, out}
	switch l.Kind {
	case Pooling:
		return nil
	case Dense, Columns:
		shape = shape[2:]
	case Chosen:
		shape = []int{out, in}
	}
	return []Param{{l.Name + ".weight", shape}, {l.Name + ".bias", []int{out}}}
}

// Params lists every parameter, in the order in which they are stored.
func (a Architecture) Params() (all []Param) {
	for _, l := range a.Layers {
		all = append(all, l.Params()...)
	}
	return all
}

// Playing lists the layers that the heads which play need.
func (a Architecture) Playing() []Layer {
	needed := map[string]bool{}
	for _, h := range a.Heads {
		needed[h.From] = needed[h.From] || h.Plays
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

// read8 lists the playing layers whose results others read in 8 bits.
func (a Architecture) read8() []Layer {
	read := map[string]bool{}
	playing := a.Playing()
	for _, l := range playing {
		read[l.From] = read[l.From] || l.Int8
	}
	return slices.DeleteFunc(playing, func(l Layer) bool { return !read[l.Name] })
}

// Operations is the number of arithmetic operations of an evaluation: two a
// product of the layers that play, without those with the padding and without
// additions. Of Columns it counts the products with as many features as can be
// active, and nothing of Chosen, as it is not known how many actions are legal.
func (a Architecture) Operations() float64 {
	products := 0
	for _, l := range a.Playing() {
		h, w, in, out, k := l.sizes()
		taps := h * w
		if k == 3 { // a cell at the edge has no neighbours beyond it
			taps = (3*h - 2) * (3*w - 2)
		}
		switch l.Kind {
		case Columns:
			products += l.Active * out
		case Convolution, Dense:
			products += taps * in * out
		}
	}
	return 2 * float64(products)
}
