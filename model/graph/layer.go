package graph

import (
	"maps"
	"slices"

	"dojo.example/model"
	"dojo.example/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A layer is a layer in training. Its parameters are one matrix: the weights, and the biases
// as the last row. All replicas share it. A convolution or a dense layer has packed weights,
// see model.Layer.Convolution; the others are sparse.
type layer struct {
	model.Layer
	*parameter
	conv       *kernel.Conv
	transposed *kernel.Conv // for the gradient of the input
	sparse     sparseLayer
}

func newLayer(spec model.Layer, batch int) *layer {
	params := spec.Params()
	l := &layer{Layer: spec, parameter: newParameter(params[0].Size(), params[1].Size()), sparse: newSparse(spec, batch)}
	if l.sparse == nil {
		l.conv = spec.Convolution()
		l.transposed = l.conv.Transposed()
	}
	return l
}

// split splits one of the layer's arrays into the weights and the biases.
func (l *layer) split(x []float32) (weights, biases []float32) {
	return x[:l.weights], x[l.weights:]
}

// pack packs the layer's parameters for the kernels.
func (l *layer) pack() {
	if l.conv != nil {
		weights, biases := l.split(l.values)
		l.conv.Pack(weights, biases)
		l.transposed.PackTransposed(weights)
	}
}

// A replicaLayer is a layer in the graph of a replica.
type replicaLayer struct {
	*layer
	r *replica
}

// apply adds the layer to the graph: relu(x ∗ weights + bias + residual), where
// residual may be nil. input says that x is the input of the network, which needs no
// gradient.
func (l *replicaLayer) apply(x, params, residual *gorgonia.Node, input bool) (*gorgonia.Node, error) {
	in := gorgonia.Nodes{x, params}
	wrt := []bool{!input, true}
	if residual != nil {
		in, wrt = append(in, residual), append(wrt, !l.skips())
	}
	return (&op{
		name:  l.Name,
		shape: tensor.Shape{l.r.boards * l.Out.Cells(), l.Out.C},
		wrt:   wrt,
		do: func(y []float32, in ...[]float32) {
			l.conv.Run(y, in[0], third(in), l.r.boards, l.ReLU)
		},
		diff: l.diff,
	}).apply(in...)
}

// third returns the third input of an operation, or nil if there are only two.
func third(in [][]float32) []float32 {
	if len(in) < 3 {
		return nil
	}
	return in[2]
}

// skips reports whether the layer before this one, which reads the same x, adds the
// gradient of this layer's residual to the gradient of x.
func (l *replicaLayer) skips() bool {
	return slices.Contains(slices.Collect(maps.Values(l.r.skips)), l.Name)
}

// diff adds the gradients of the layer's inputs to the graph: of x, of the
// parameters and of the residual; see op.diff.
func (l *replicaLayer) diff(in gorgonia.Nodes, y, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	var err error
	if l.ReLU {
		if grad, err = reluGrad(l.Name, grad, y); err != nil {
			return nil, err
		}
	}
	grads := make(gorgonia.Nodes, len(in))
	if grads[1], err = l.paramGrad(in[0], grad); err != nil {
		return nil, err
	}
	if y.Op().(*op).wrt[0] {
		if grads[0], err = l.inputGrad(grad, grads[1], in[0].Shape()); err != nil {
			return nil, err
		}
	}
	if l.skips() {
		l.r.skipGrads[l.Name] = grad
	} else if len(in) > 2 {
		grads[2] = grad
	}
	return grads, nil
}

// reluGrad adds the gradient of what goes into the ReLU of a layer whose result is y. It
// takes the memory of grad, the gradient of y, unless others may read that.
func reluGrad(name string, grad, y *gorgonia.Node) (*gorgonia.Node, error) {
	o := &op{
		name: name + " relu'", shape: y.Shape(), shared: true,
		do: func(out []float32, in ...[]float32) { kernel.ReLUGrad(out, in[0], in[1]) },
	}
	if before, ok := grad.Op().(*op); !ok || !before.shared {
		o.into = 1
	}
	return o.apply(grad, y)
}

// inputGrad adds the gradient of the layer's input, including the gradient that a later
// layer with this input as its residual contributes. It comes after the gradient of
// the parameters, which reads what is overwritten here.
func (l *replicaLayer) inputGrad(grad, params *gorgonia.Node, shape tensor.Shape) (*gorgonia.Node, error) {
	in := gorgonia.Nodes{grad, params}
	o := &op{name: l.Name + " input'", shape: shape}
	if behind := l.r.skips[l.Name]; behind != "" {
		in = append(in, l.r.skipGrads[behind])
		o.into = 3
	} else if l.skips() {
		o.out = l.r.memoryBetween(shape)
	}
	o.do = func(dx []float32, in ...[]float32) {
		l.transposed.Run(dx, in[0], third(in), l.r.boards, false)
	}
	return o.apply(in...)
}

// paramGrad adds the gradient of the layer's parameters.
func (l *replicaLayer) paramGrad(x, grad *gorgonia.Node) (*gorgonia.Node, error) {
	return (&op{
		name: l.Name + " params'", shape: l.grad.Shape(),
		do: func(out []float32, in ...[]float32) {
			weights, biases := l.split(out)
			l.conv.WeightGrad(weights, biases, in[0], in[1], l.r.boards)
		},
	}).apply(x, grad)
}
