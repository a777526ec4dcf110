package graph

import (
	"dojo/engine"
	"dojo/internal/parallel"
	"dojo/model"
	"dojo/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// lists is the input of a network of the sparse kind: that of the batch at
// hand. Operations keep a pointer to it, as it is no matrix of Gorgonia's.
type lists struct {
	engine.Lists
	actions []uint16 // Legal, as the kernels want it
}

// set makes the lists of a batch the input.
func (l *lists) set(from engine.Lists) {
	l.Lists, l.actions = from, l.actions[:0]
	for _, a := range from.Legal {
		l.actions = append(l.actions, uint16(a))
	}
}

// A sparseLayer is a layer of kind Columns or Chosen in the training graph. Its
// weights are a matrix of which a position uses some rows: those of its active
// features, or those of its legal actions.
type sparseLayer struct {
	params
	spec    model.Layer
	lists   *lists
	boards  int
	workers int
}

// rows is the weights among the layer's parameters.
func (l *sparseLayer) rows(params []float32) kernel.Rows {
	width := l.spec.Out.C
	if l.spec.Kind == model.Chosen {
		width = l.spec.In.Size()
	}
	return kernel.Rows{Data: params[:l.weights()], Width: width}
}

// forEachColumns splits the columns of rows among the workers: f has those from
// from on, as many as it is told. A column is summed up by one worker, over the
// batch in its order, so that sums do not depend on how many workers there are.
func forEachColumns(width, workers int, f func(from, n int)) {
	const least = 16 // columns that the kernels take
	n := (width/least + workers - 1) / workers * least
	parallel.For((width+n-1)/n, workers, func(i int) { f(i*n, min(n, width-i*n)) })
}

// apply adds the layer to the graph. Chosen reads x; Columns reads the lists
// alone.
func (l *sparseLayer) apply(x, params *gorgonia.Node) (*gorgonia.Node, error) {
	if l.spec.Kind == model.Columns {
		return l.columns(params)
	}
	return l.chosen(x, params)
}

// columns is relu(bias + the sum of the columns of each position's features).
func (l *sparseLayer) columns(params *gorgonia.Node) (*gorgonia.Node, error) {
	width := l.spec.Out.C
	return gorgonia.ApplyOp(&op{
		name: l.name, arity: 1, shape: tensor.Shape{l.boards, width}, wrt: []bool{true},
		do: func(y []float32, in ...[]float32) error {
			m, bias := l.rows(in[0]), in[0][l.weights():]
			forEachChunk(l.boards, l.workers, func(_, from, to int) {
				for i := from; i < to; i++ {
					row := y[i*width : (i+1)*width]
					copy(row, bias)
					m.Sum(row, 0, l.lists.FeaturesOf(i), nil)
					for j, v := range row {
						row[j] = max(0, v)
					}
				}
			})
			return nil
		},
		diff: func(in gorgonia.Nodes, y, grad *gorgonia.Node) (gorgonia.Nodes, error) {
			grad, err := reluGrad(l.name, l.boards, l.workers, grad, y)
			if err != nil {
				return nil, err
			}
			g, err := l.columnsGrad(grad)
			return gorgonia.Nodes{g}, err
		},
	}, params)
}

// columnsGrad is the gradient of the parameters of Columns: that of each
// position's sum, added to the columns of its features and to the bias.
func (l *sparseLayer) columnsGrad(grad *gorgonia.Node) (*gorgonia.Node, error) {
	width := l.spec.Out.C
	return gorgonia.ApplyOp(&op{
		name: l.name + " params'", arity: 1, shape: l.shape(), wrt: []bool{false},
		do: func(out []float32, in ...[]float32) error {
			clear(out)
			m, bias := l.rows(out), out[l.weights():]
			forEachColumns(width, l.workers, func(from, n int) {
				for i := range l.boards {
					g := in[0][i*width+from:][:n]
					m.Add(g, from, l.lists.FeaturesOf(i), nil)
					for j, v := range g {
						bias[from+j] += v
					}
				}
			})
			return nil
		},
	}, grad)
}

// chosen is the logits of the legal actions, one position behind the other, as
// many as there are in the batch; what lies behind them in its result means
// nothing.
func (l *sparseLayer) chosen(x, params *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: l.name, arity: 2, shape: tensor.Shape{l.boards, l.spec.Out.C}, wrt: []bool{true, true},
		do: func(y []float32, in ...[]float32) error {
			m, bias := l.rows(in[1]), in[1][l.weights():]
			l.forEachLegal(func(i int, actions []uint16, first int) {
				own := y[first : first+len(actions)]
				m.Dots(own, actions, in[0][i*m.Width:(i+1)*m.Width])
				for j, a := range actions {
					own[j] += bias[a]
				}
			})
			return nil
		},
		diff: func(in gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
			dx, err := l.chosenInputGrad(in[0], in[1], grad)
			if err != nil {
				return nil, err
			}
			dp, err := l.chosenGrad(in[0], grad)
			return gorgonia.Nodes{dx, dp}, err
		},
	}, x, params)
}

// forEachLegal splits the positions of the batch among the workers: f has one
// with its legal actions, of which the first is the first-th of the batch.
func (l *sparseLayer) forEachLegal(f func(i int, actions []uint16, first int)) {
	forEachChunk(l.boards, l.workers, func(_, from, to int) {
		for i := from; i < to; i++ {
			first, end := l.lists.LegalRange(i, i+1)
			f(i, l.lists.actions[first:end], first)
		}
	})
}

// chosenInputGrad is the gradient of what Chosen reads: the rows of the legal
// actions, each times the gradient of its logit.
func (l *sparseLayer) chosenInputGrad(x, params, grad *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: l.name + " input'", arity: 2, shape: x.Shape(), wrt: []bool{false, false},
		do: func(dx []float32, in ...[]float32) error {
			m := l.rows(in[0])
			l.forEachLegal(func(i int, actions []uint16, first int) {
				row := dx[i*m.Width : (i+1)*m.Width]
				clear(row)
				m.Sum(row, 0, actions, in[1][first:first+len(actions)])
			})
			return nil
		},
	}, params, grad)
}

// chosenGrad is the gradient of the parameters of Chosen: what it read, times
// the gradient of each legal action's logit, added to that action's row.
func (l *sparseLayer) chosenGrad(x, grad *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: l.name + " params'", arity: 2, shape: l.shape(), wrt: []bool{false, false},
		do: func(out []float32, in ...[]float32) error {
			clear(out)
			m, bias := l.rows(out), out[l.weights():]
			forEachColumns(m.Width, l.workers, func(from, n int) {
				for i := range l.boards {
					first, end := l.lists.LegalRange(i, i+1)
					m.Add(in[0][i*m.Width+from:][:n], from, l.lists.actions[first:end], in[1][first:end])
				}
			})
			for i, a := range l.lists.actions {
				bias[a] += in[1][i]
			}
			return nil
		},
	}, x, grad)
}
