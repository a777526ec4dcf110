package graph

import (
	"fmt"

	"dojo.example/model"
	"dojo.example/model/adamw"
	"dojo.example/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A layer is a layer of the network during training. Its parameters are one matrix: the weights,
// with the biases as the last row. All replicas share this matrix.
type layer struct {
	model.Layer
	*adamw.Param
	kind
	states []partState // state of each part of the batch
}

// A kind computes the layers of one model.Kind.
type kind interface {
	state(boards int) partState                                      // returns the state of a part with the given number of boards
	reduce(grad []float32, states []partState, workers int) []func() // returns functions that compute the gradient of the parameters, to be called in any order
}

// A partState is what a layer keeps for one part of the batch. It includes all that kind.reduce
// needs for the gradient of the parameters.
type partState interface {
	// forward computes the results y from x and, if it is not nil, the residual, including the
	// ReLU. A layer that reads lists has no x.
	forward(y, x, residual []float32, p *part)

	// place returns the matrix to which paramGrad writes. It is large enough for what the last
	// forward computed.
	place() *tensor.Dense

	// paramGrad computes what kind.reduce needs from this part. dy is the gradient of the layer's
	// results, and x is what the layer read, or nil if the layer reads lists.
	paramGrad(out, dy, x []float32)

	// inputGrad computes dx, the gradient of x, from dy, the gradient of the results. If before is
	// not nil, it is dx itself, and inputGrad adds to it.
	inputGrad(dx, dy, before []float32)
}

func newLayer(spec model.Layer) *layer {
	params := spec.Params()
	l := &layer{Layer: spec, Param: adamw.NewParam(params[0].Size(), params[1].Size())}
	switch spec.Kind {
	case model.FeatureSum:
		l.kind = featureSum{l}
	case model.SelectedDense:
		l.kind = selectedDense{l}
	default:
		conv := spec.Convolution()
		l.kind = convolution{l, conv, conv.Transposed()}
	}
	return l
}

// A convolution is the kind of layers whose results depend on all of x: convolutions and dense
// layers.
type convolution struct {
	*layer
	conv       *kernel.Conv // has packed weights; see model.Layer.Convolution
	transposed *kernel.Conv // computes the gradient of the input
}

// pack prepares the parameters for a step.
func (c convolution) pack() {
	weights, biases := c.Split(c.Values)
	c.conv.Pack(weights, biases)
	c.transposed.PackTransposed(weights)
}

func (c convolution) state(boards int) partState {
	return &convolutionState{c, boards, newMatrix(c.Shape()...)}
}

// reduce adds up the gradients of the parts, in the order of the parts.
func (c convolution) reduce(grad []float32, states []partState, _ int) (work []func()) {
	const size = 1 << 12
	for from := 0; from < len(grad); from += size {
		to := min(len(grad), from+size)
		work = append(work, func() {
			for i, s := range states {
				part := s.(*convolutionState).grad.Float32s()[from:to]
				if i == 0 {
					copy(grad[from:to], part)
				} else {
					kernel.Add(grad[from:to], part)
				}
			}
		})
	}
	return work
}

type convolutionState struct {
	convolution
	boards int
	grad   *tensor.Dense
}

func (s *convolutionState) forward(y, x, residual []float32, _ *part) {
	s.conv.Run(y, x, residual, s.boards, s.ReLU)
}

func (s *convolutionState) place() *tensor.Dense { return s.grad }

func (s *convolutionState) paramGrad(out, dy, x []float32) {
	weights, biases := s.Split(out)
	s.conv.WeightGrad(weights, biases, x, dy, s.boards)
}

func (s *convolutionState) inputGrad(dx, dy, before []float32) {
	s.transposed.Run(dx, dy, before, s.boards, false)
}

// A replicaLayer is a layer in the graph of a replica. Its operations compute the replica's current
// part.
type replicaLayer struct {
	*layer
	r *replica
}

func (l *replicaLayer) state() partState                     { return l.states[l.r.part.index] }
func (l *replicaLayer) place([]gorgonia.Value) *tensor.Dense { return l.state().place() }

// apply adds the layer to the graph: relu(f(x, params) + residual). x is nil if the layer reads
// lists, and residual may be nil. If x is the input of the network, x needs no gradient.
func (l *replicaLayer) apply(params, x, residual *gorgonia.Node) (*gorgonia.Node, error) {
	o := &op{
		name: l.Name, shape: tensor.Shape{l.r.boards * l.Out.Cells(), l.Out.C}, wrt: []bool{true}, diff: l.diff,
		do: func(y, _, x, residual []float32) { l.state().forward(y, x, residual, l.r.part) },
	}
	if l.Kind == model.SelectedDense {
		o.place = l.r.legal()
	}
	in := gorgonia.Nodes{params}
	if x != nil {
		in, o.wrt = append(in, x), append(o.wrt, x.Op() != nil && (residual != nil || !l.carries()))
	}
	if residual != nil {
		in, o.wrt = append(in, residual), append(o.wrt, !l.carries())
	}
	return o.apply(in...)
}

// carries reports whether an earlier layer takes over this layer's gradient of their common input
// and adds its own gradient to it; see replica.joins.
func (l *replicaLayer) carries() bool {
	_, is := l.r.carried[l.Name]
	return is
}

// diff adds the gradients of the layer's inputs to the graph; see op.diff.
func (l *replicaLayer) diff(in gorgonia.Nodes, y, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	grads := make(gorgonia.Nodes, len(in))
	var err error
	if l.ReLU {
		if grad, err = l.reluGrad(grad, y); err != nil {
			return nil, err
		}
	}
	if grads[0], err = l.paramGrad(append(gorgonia.Nodes{grad}, in[1:min(2, len(in))]...)); err != nil {
		return nil, err
	}
	if len(in) > 2 {
		grads[2] = grad
	}
	if len(in) > 1 && in[1].Op() != nil { // in[1] is not the input of the network
		if grads[1], err = l.inputGrad(grad, grads[0], in[1].Shape()); err != nil {
			return nil, err
		}
	}
	if last := len(in) - 1; l.carries() {
		l.r.carried[l.Name], grads[last] = grads[last], nil
	}
	return grads, nil
}

// reluGrad adds the gradient of the input of a ReLU whose result is y. The new gradient overwrites
// grad, the gradient of y.
func (l *replicaLayer) reluGrad(grad, y *gorgonia.Node) (*gorgonia.Node, error) {
	return (&op{
		name: l.Name + " relu'", shape: y.Shape(), place: func(in []gorgonia.Value) *tensor.Dense { return in[0].(*tensor.Dense) },
		do: func(out, grad, y, _ []float32) { kernel.ReLUGrad(out, grad, y) },
	}).apply(grad, y)
}

// inputGrad adds the gradient of what the layer reads. If the layer joins a later layer, inputGrad
// adds to that layer's gradient. paramGrad is an input only to fix the order of operations: it must
// read grad before a later operation overwrites grad, and a sparse layer reads here what paramGrad
// stored.
func (l *replicaLayer) inputGrad(grad, paramGrad *gorgonia.Node, shape tensor.Shape) (*gorgonia.Node, error) {
	in := gorgonia.Nodes{grad, paramGrad}
	o := &op{
		name: l.Name + " input'", shape: shape,
		do: func(dx, dy, _, before []float32) { l.state().inputGrad(dx, dy, before) },
	}
	if later := l.r.joins[l.Name]; later != "" {
		if l.r.carried[later] == nil {
			return nil, fmt.Errorf("the gradient of %s must be computed before the gradient of %s", later, l.Name)
		}
		in, o.place = append(in, l.r.carried[later]), func(in []gorgonia.Value) *tensor.Dense { return in[2].(*tensor.Dense) }
	} else if from := l.r.layers[l.From]; from.Kind == model.FeatureSum {
		o.place = from.place // the FeatureSum layer keeps the gradient in its state
	}
	return o.apply(in...)
}

// paramGrad adds the gradient of the layer's parameters. from holds the gradient of the layer's
// results and, unless the layer reads lists, what the layer read.
func (l *replicaLayer) paramGrad(from gorgonia.Nodes) (*gorgonia.Node, error) {
	return (&op{
		name: l.Name + " params'", shape: l.Shape(), place: l.place,
		do: func(out, dy, x, _ []float32) { l.state().paramGrad(out, dy, x) },
	}).apply(from...)
}
