package graph

import (
	"fmt"

	"dojo.example/model"
	"dojo.example/model/adamw"
	"dojo.example/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A layer is one layer of the network during training. Its parameters form one matrix: the rows of
// weights, and the biases as the last row. All replicas share this matrix.
type layer struct {
	model.Layer
	*adamw.Param
	kind
	states []partState // the state of the layer for each part of the batch, in order
}

// A kind implements what depends on the model.Kind of a layer.
type kind interface {
	// state returns a new state of the layer for a part with the given number of boards.
	state(boards int) partState
	// reduce returns functions that together compute the gradient of the parameters from the states
	// of all parts. The caller may run them in any order, on any goroutine.
	reduce(grad []float32, states []partState, workers int) []func()
}

// A partState holds a layer's data for one part of the batch, including everything that kind.reduce
// needs to compute the gradient of the parameters.
type partState interface {
	// forward computes the layer's results y, including the ReLU, from the layer's input x. If
	// residual is not nil, forward adds it before the ReLU. x is nil for a layer that reads lists.
	forward(y, x, residual []float32, p *part)

	// place returns the matrix to which paramGrad writes. It is large enough for the positions in
	// the last call of forward.
	place() *tensor.Dense

	// paramGrad writes this part's data for kind.reduce to out. dy is the gradient of the layer's
	// results. x is the layer's input, or nil if the layer reads lists.
	paramGrad(out, dy, x []float32)

	// inputGrad computes dx, the gradient of the layer's input, from dy, the gradient of the
	// layer's results. If before is not nil, it must be the same slice as dx; inputGrad then adds
	// the gradient to the numbers in dx.
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

// A convolution implements convolutions and dense layers. A dense layer is a 1×1 convolution on
// boards of one cell.
type convolution struct {
	*layer
	conv       *kernel.Conv // computes the results; see model.Layer.Convolution
	transposed *kernel.Conv // computes the gradient of the input
}

// pack converts the current parameters into the form that the kernels read.
func (c convolution) pack() {
	weights, biases := c.Split(c.Values)
	c.conv.Pack(weights, biases)
	c.transposed.PackTransposed(weights)
}

func (c convolution) state(boards int) partState {
	return &convolutionState{c, boards, newMatrix(c.Shape()...)}
}

// reduce adds up the gradients of all parts, always in the order of the parts.
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

// A replicaLayer is a layer in the graph of one replica. Its operations work on the part of the
// batch that the replica is currently computing.
type replicaLayer struct {
	*layer
	r *replica
}

func (l *replicaLayer) state() partState                     { return l.states[l.r.part.index] }
func (l *replicaLayer) place([]gorgonia.Value) *tensor.Dense { return l.state().place() }

// apply adds the operation relu(f(x, params) + residual) to the graph, where f is the function of
// the layer. x is nil if the layer reads lists. residual may be nil. If x is the network's input,
// no gradient is computed for it.
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

// carries reports whether an earlier layer with the same input adds its own gradient of this input
// to this layer's gradient; see replica.joins. If so, the earlier layer passes the sum of both
// gradients back to the layers before it, and this layer passes nothing back.
func (l *replicaLayer) carries() bool {
	_, is := l.r.carried[l.Name]
	return is
}

// diff adds operations to the graph that compute the gradients of the layer's inputs; see op.diff.
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
	if len(in) > 1 && in[1].Op() != nil { // unless in[1] is the input of the network
		if grads[1], err = l.inputGrad(grad, grads[0], in[1].Shape()); err != nil {
			return nil, err
		}
	}
	if last := len(in) - 1; l.carries() {
		l.r.carried[l.Name], grads[last] = grads[last], nil
	}
	return grads, nil
}

// reluGrad adds the operation that computes the gradient of a ReLU's input from y, the ReLU's
// result, and grad, the gradient of y. The operation overwrites grad with the new gradient.
func (l *replicaLayer) reluGrad(grad, y *gorgonia.Node) (*gorgonia.Node, error) {
	return (&op{
		name: l.Name + " relu'", shape: y.Shape(), place: func(in []gorgonia.Value) *tensor.Dense { return in[0].(*tensor.Dense) },
		do: func(out, grad, y, _ []float32) { kernel.ReLUGrad(out, grad, y) },
	}).apply(grad, y)
}

// inputGrad adds the operation that computes the gradient of the layer's input. If replica.joins
// names a later layer with the same input, the operation adds to that layer's gradient. The
// operation has the input paramGrad, which it does not read, so that paramGrad is computed first.
// That order is necessary for two reasons: paramGrad must read grad before a later operation
// overwrites it, and for a sparse layer it stores data that the gradient of the input needs.
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
		o.place = from.place // a FeatureSum layer stores this gradient in its state
	}
	return o.apply(in...)
}

// paramGrad adds the operation that computes the gradient of the layer's parameters. from has the
// nodes that it is computed from: the gradient of the layer's results and, unless the layer reads
// lists, the layer's input.
func (l *replicaLayer) paramGrad(from gorgonia.Nodes) (*gorgonia.Node, error) {
	return (&op{
		name: l.Name + " params'", shape: l.Shape(), place: l.place,
		do: func(out, dy, x, _ []float32) { l.state().paramGrad(out, dy, x) },
	}).apply(from...)
}
