package graph

import (
	"dojo/model"
	"dojo/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// pool adds a pooling layer to the graph. It has no parameters.
func pool(l model.Layer, boards, workers int, x *gorgonia.Node) (*gorgonia.Node, error) {
	cells, channels := l.In.Cells(), l.In.C
	in, out := l.In.Size(), l.Out.Size()
	return gorgonia.ApplyOp(&op{
		name: l.Name, arity: 1, shape: tensor.Shape{boards, out}, wrt: []bool{true},
		do: func(y []float32, in0 ...[]float32) error {
			forEachChunk(boards, workers, func(_, from, to int) {
				kernel.Pool(y[from*out:to*out], in0[0][from*in:to*in], to-from, cells, channels)
			})
			return nil
		},
		diff: func(inputs gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
			g, err := gorgonia.ApplyOp(&op{
				name: l.Name + " input'", arity: 2, shape: inputs[0].Shape(), wrt: []bool{false, false},
				do: func(dx []float32, given ...[]float32) error {
					forEachChunk(boards, workers, func(_, from, to int) {
						kernel.PoolGrad(dx[from*in:to*in], given[0][from*out:to*out], given[1][from*in:to*in], to-from, cells, channels)
					})
					return nil
				},
			}, grad, inputs[0])
			return gorgonia.Nodes{g}, err
		},
	}, x)
}
