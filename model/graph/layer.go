package graph

import (
	"dojo/internal/parallel"
	"dojo/model"
	"dojo/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// params is the name of a layer and how many parameters it has. The graph holds
// them as one matrix: the weights, and behind them the biases as the last row.
type params struct {
	name                   string
	weightCount, biasCount int
}

// paramsOf returns the params of a layer that has parameters.
func paramsOf(l model.Layer) params {
	all := l.Params()
	return params{l.Name, all[0].Size(), all[1].Size()}
}

// weights and parameters are the number of weights, without and with the bias.
func (p params) weights() int    { return p.weightCount }
func (p params) parameters() int { return p.weightCount + p.biasCount }

// shape is the shape of the parameter matrix.
func (p params) shape() tensor.Shape {
	return tensor.Shape{p.parameters() / p.biasCount, p.biasCount}
}

// A layer is a convolution, or a dense layer, in the training graph; see
// model.Layer.Convolution. Its parameters are one matrix: the weights
// [K·K·In][Out], and the bias as the last row.
type layer struct {
	params
	boards  int // number of boards in the batch
	workers int
	relu    bool

	forward  *kernel.Conv
	backward *kernel.Conv // turns the gradient of the output into that of the input
	partial  [][]float32  // the gradient of the parameters from each chunk of boards
}

// chunks is the number of parts that the boards of a batch are split into. It
// does not depend on the workers, so that sums over the batch have one order.
const chunks = 8

func newLayer(spec model.Layer, boards, workers int) *layer {
	c := spec.Convolution()
	l := &layer{
		params: paramsOf(spec), boards: boards, workers: workers, relu: spec.ReLU,
		forward:  c,
		backward: kernel.NewConv(c.H, c.W, c.Out, c.In, c.K),
	}
	for range chunks {
		l.partial = append(l.partial, make([]float32, l.parameters()))
	}
	return l
}

// forEachChunk splits the boards of a batch among the workers: f(chunk, from,
// to) has the boards from ≤ i < to.
func forEachChunk(boards, workers int, f func(chunk, from, to int)) {
	parallel.For(chunks, workers, func(c int) {
		if from, to := boards*c/chunks, boards*(c+1)/chunks; from < to {
			f(c, from, to)
		}
	})
}

// apply adds the layer to the graph: relu(x ∗ weights + bias + residual), where
// residual may be nil. input says that x is the input of the network, which needs no
// gradient.
func (l *layer) apply(x, params, residual *gorgonia.Node, input bool) (*gorgonia.Node, error) {
	c := l.forward
	cells := c.H * c.W
	in := gorgonia.Nodes{x, params}
	wrt := []bool{!input, true}
	if residual != nil {
		in, wrt = append(in, residual), append(wrt, true)
	}
	return gorgonia.ApplyOp(&op{
		name:  l.name,
		arity: len(in),
		shape: tensor.Shape{l.boards * cells, c.Out},
		wrt:   wrt,
		do: func(y []float32, in ...[]float32) error {
			c.Pack(in[1][:l.weights()], in[1][l.weights():])
			forEachChunk(l.boards, l.workers, func(_, from, to int) {
				var residual []float32
				if len(in) > 2 {
					residual = in[2][from*cells*c.Out : to*cells*c.Out]
				}
				c.Run(y[from*cells*c.Out:], in[0][from*cells*c.In:], residual, to-from, l.relu)
			})
			return nil
		},
		diff: l.diff,
	}, in...)
}

// diff adds the gradients of the layer's inputs to the graph: of x, of the
// parameters and of the residual; see op.diff.
func (l *layer) diff(in gorgonia.Nodes, y, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	var err error
	if l.relu {
		if grad, err = reluGrad(l.name, l.boards, l.workers, grad, y); err != nil {
			return nil, err
		}
	}
	grads := make(gorgonia.Nodes, len(in))
	if y.Op().(*op).wrt[0] {
		if grads[0], err = l.inputGrad(grad, in[1], in[0].Shape()); err != nil {
			return nil, err
		}
	}
	if grads[1], err = l.paramGrad(in[0], grad); err != nil {
		return nil, err
	}
	if len(in) > 2 {
		grads[2] = grad
	}
	return grads, nil
}

// reluGrad adds the gradient of what goes into the ReLU of a layer whose result is y.
func reluGrad(name string, boards, workers int, grad, y *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: name + " relu'", arity: 2, shape: y.Shape(), wrt: []bool{false, false},
		do: func(out []float32, in ...[]float32) error {
			size := len(out) / boards
			forEachChunk(boards, workers, func(_, from, to int) {
				kernel.ReLUGrad(out[from*size:to*size], in[0][from*size:to*size], in[1][from*size:to*size])
			})
			return nil
		},
	}, grad, y)
}

// inputGrad adds the gradient of the layer's input.
func (l *layer) inputGrad(grad, params *gorgonia.Node, shape tensor.Shape) (*gorgonia.Node, error) {
	c := l.backward
	cells := c.H * c.W
	return gorgonia.ApplyOp(&op{
		name: l.name + " input'", arity: 2, shape: shape, wrt: []bool{false, false},
		do: func(dx []float32, in ...[]float32) error {
			c.PackTransposed(in[1][:l.weights()])
			forEachChunk(l.boards, l.workers, func(_, from, to int) {
				c.Run(dx[from*cells*c.Out:], in[0][from*cells*c.In:], nil, to-from, false)
			})
			return nil
		},
	}, grad, params)
}

// paramGrad adds the gradient of the layer's parameters. It is computed for each
// chunk of boards and then summed in the order of the chunks, so that the bits do
// not depend on the workers.
func (l *layer) paramGrad(x, grad *gorgonia.Node) (*gorgonia.Node, error) {
	c := l.forward
	cells := c.H * c.W
	return gorgonia.ApplyOp(&op{
		name: l.name + " params'", arity: 2, shape: l.shape(), wrt: []bool{false, false},
		do: func(out []float32, in ...[]float32) error {
			forEachChunk(l.boards, l.workers, func(chunk, from, to int) {
				p := l.partial[chunk]
				c.WeightGrad(p[:l.weights()], p[l.weights():], in[0][from*cells*c.In:], in[1][from*cells*c.Out:], to-from)
			})
			parallel.For(chunks, l.workers, func(i int) {
				from, to := len(out)*i/chunks, len(out)*(i+1)/chunks
				copy(out[from:to], l.partial[0][from:to])
				for _, p := range l.partial[1:] {
					for j, v := range p[from:to] {
						out[from+j] += v
					}
				}
			})
			return nil
		},
	}, x, grad)
}
