package graph

import (
	"slices"

	"dojo/engine"
	"dojo/internal/parallel"
	"dojo/model"
	"dojo/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// lists is the input of a network of the sparse kind, from the batch of the current
// step. It is no matrix, so that it is no node of the graph: operations keep a pointer
// to it.
type lists struct {
	engine.Input
	actions []uint16 // Legal, in the type that kernels take

	// The features turned round: positions[starts[f]:starts[f+1]] are the rows in
	// which feature f is active, in their order. See turn.
	positions []uint16
	starts    []int32
}

// set makes the lists of a batch the input.
func (l *lists) set(from engine.Input) {
	l.Input, l.actions = from, l.actions[:0]
	for _, a := range from.Legal {
		l.actions = append(l.actions, uint16(a))
	}
}

// turn sets positions and starts, for a game of so many features.
func (l *lists) turn(features int) {
	l.starts = append(l.starts[:0], make([]int32, features+1)...)
	l.positions = slices.Grow(l.positions[:0], len(l.Features))[:len(l.Features)]
	for _, f := range l.Features {
		l.starts[f]++
	}
	end := int32(0)
	for f, n := range l.starts {
		end += n
		l.starts[f] = end // where feature f ends; filling it from behind leads to where it begins
	}
	for i := l.Rows() - 1; i >= 0; i-- {
		for _, f := range l.FeaturesOf(i) {
			l.starts[f]--
			l.positions[l.starts[f]] = uint16(i)
		}
	}
}

// A sparseLayer is a layer of kind FeatureSum or SelectedDense in the training graph. Its
// weights are a matrix of which a position uses a few rows: those of its active
// features, or those of its legal actions.
type sparseLayer struct {
	params
	spec    model.Layer
	lists   *lists
	boards  int
	workers int
}

// rows returns the weights among the layer's parameters.
func (l *sparseLayer) rows(params []float32) kernel.Rows {
	if l.spec.Kind == model.SelectedDense {
		width := l.spec.In.Size()
		return kernel.Rows{Data: params[:l.spec.Out.C*width], Width: width}
	}
	return kernel.Rows{Data: params[:l.weights()], Width: l.spec.Out.C}
}

// featureRows returns the weights of the rows of features of actions, and bias those of all
// rows of SelectedDense.
func (l *sparseLayer) featureRows(params []float32) kernel.Rows {
	width := l.spec.In.Size()
	return kernel.Rows{Data: params[l.spec.Out.C*width : l.weights()], Width: width}
}

// forEachColumns splits the columns of a matrix among the workers: f has n columns,
// the first of which is from. One worker sums up a column over the whole batch, so that
// the sums do not depend on the number of workers.
func forEachColumns(width, workers int, f func(from, n int)) {
	const multiple = 16 // of columns that the kernels take
	n := (width/multiple + workers - 1) / workers * multiple
	parallel.For((width+n-1)/n, workers, func(i int) { f(i*n, min(n, width-i*n)) })
}

// apply adds the layer to the graph. SelectedDense reads x and the lists, FeatureSum the lists
// alone.
func (l *sparseLayer) apply(x, params *gorgonia.Node) (*gorgonia.Node, error) {
	if l.spec.Kind == model.FeatureSum {
		return l.columns(params)
	}
	return l.chosen(x, params)
}

// columns adds relu(bias + the sum of the rows of each position's active features). It
// also turns the features round, for columnsGrad.
func (l *sparseLayer) columns(params *gorgonia.Node) (*gorgonia.Node, error) {
	width := l.spec.Out.C
	return gorgonia.ApplyOp(&op{
		name: l.name, arity: 1, shape: tensor.Shape{l.boards, width}, wrt: []bool{true},
		do: func(y []float32, in ...[]float32) error {
			m, bias := l.rows(in[0]), in[0][l.weights():]
			parallel.For(1+chunks, l.workers, func(k int) {
				if k == 0 { // beside the chunks, as it cannot be divided
					l.lists.turn(l.spec.In.C)
					return
				}
				for i := l.boards * (k - 1) / chunks; i < l.boards*k/chunks; i++ {
					row := y[i*width : (i+1)*width]
					copy(row, bias)
					m.Sum(row, 0, l.lists.FeaturesOf(i), nil)
					kernel.ReLUGrad(row, row, row) // which is the ReLU itself
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

// columnsGrad adds the gradient of the parameters of FeatureSum. That of a feature's row is
// the sum of the gradients of the positions in which the feature is active, and that of
// the bias is the sum of all. To sum up what belongs to a row, in registers, takes a
// fraction of the time of adding what belongs to a position to all its rows.
func (l *sparseLayer) columnsGrad(grad *gorgonia.Node) (*gorgonia.Node, error) {
	width := l.spec.Out.C
	all := make([]uint16, l.boards) // a list of all positions
	for i := range all {
		all[i] = uint16(i)
	}
	return gorgonia.ApplyOp(&op{
		name: l.name + " params'", arity: 1, shape: l.shape(), wrt: []bool{false},
		do: func(out []float32, in ...[]float32) error {
			clear(out)
			rows := len(out) / width // the last is the bias
			m := kernel.Rows{Data: in[0], Width: width}
			const piece = 8 // rows
			parallel.For((rows+piece-1)/piece, l.workers, func(k int) {
				for f := k * piece; f < min(rows, (k+1)*piece); f++ {
					active := all
					if f < rows-1 {
						active = l.lists.positions[l.lists.starts[f]:l.lists.starts[f+1]]
					}
					m.Sum(out[f*width:(f+1)*width], 0, active, nil)
				}
			})
			return nil
		},
	}, grad)
}

// chosen adds the logits of the legal actions, in the order of the lists. What lies
// behind the last of them in the result has no meaning.
func (l *sparseLayer) chosen(x, params *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: l.name, arity: 2, shape: tensor.Shape{l.boards, l.spec.Out.C}, wrt: []bool{true, true},
		do: func(y []float32, in ...[]float32) error {
			m, features, bias := l.rows(in[1]), l.featureRows(in[1]), in[1][l.weights():]
			l.forEachLegal(func(i int, actions []uint16, first int) {
				own := y[first : first+len(actions)]
				m.Dots(own, actions, in[0][i*m.Width:(i+1)*m.Width])
				for j, a := range actions {
					own[j] += bias[a]
				}
				part := make([]float32, len(actions))
				for n := range l.spec.PerAction {
					of := l.lists.ActionFeaturesOf(i, n)
					features.Dots(part, of, in[0][i*m.Width:(i+1)*m.Width])
					for j, f := range of {
						own[j] += part[j] + bias[l.spec.Out.C+int(f)]
					}
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

// forEachLegal splits the positions of the batch among the workers: f has position i
// and its legal actions; first is the index of the first of these in the lists.
func (l *sparseLayer) forEachLegal(f func(i int, actions []uint16, first int)) {
	forEachChunk(l.boards, l.workers, func(_, from, to int) {
		for i := from; i < to; i++ {
			first, end := l.lists.LegalRange(i, i+1)
			f(i, l.lists.actions[first:end], first)
		}
	})
}

// chosenInputGrad adds the gradient of what SelectedDense reads: the sum of the rows of the
// legal actions, each times the gradient of its logit.
func (l *sparseLayer) chosenInputGrad(x, params, grad *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: l.name + " input'", arity: 2, shape: x.Shape(), wrt: []bool{false, false},
		do: func(dx []float32, in ...[]float32) error {
			m, features := l.rows(in[0]), l.featureRows(in[0])
			l.forEachLegal(func(i int, actions []uint16, first int) {
				row := dx[i*m.Width : (i+1)*m.Width]
				clear(row)
				m.Sum(row, 0, actions, in[1][first:first+len(actions)])
				for n := range l.spec.PerAction {
					features.Sum(row, 0, l.lists.ActionFeaturesOf(i, n), in[1][first:first+len(actions)])
				}
			})
			return nil
		},
	}, params, grad)
}

// chosenGrad adds the gradient of the parameters of SelectedDense: to the row of each legal
// action is added what SelectedDense read, times the gradient of the action's logit.
func (l *sparseLayer) chosenGrad(x, grad *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: l.name + " params'", arity: 2, shape: l.shape(), wrt: []bool{false, false},
		do: func(out []float32, in ...[]float32) error {
			clear(out)
			m, features, bias := l.rows(out), l.featureRows(out), out[l.weights():]
			forEachColumns(m.Width, l.workers, func(from, n int) {
				for i := range l.boards {
					first, end := l.lists.LegalRange(i, i+1)
					x := in[0][i*m.Width+from:][:n]
					m.Add(x, from, l.lists.actions[first:end], in[1][first:end])
					for k := range l.spec.PerAction {
						features.Add(x, from, l.lists.ActionFeaturesOf(i, k), in[1][first:end])
					}
				}
			})
			for i, a := range l.lists.actions {
				bias[a] += in[1][i]
			}
			for i := range l.boards {
				first, _ := l.lists.LegalRange(i, i+1)
				for k := range l.spec.PerAction {
					for j, f := range l.lists.ActionFeaturesOf(i, k) {
						bias[l.spec.Out.C+int(f)] += in[1][first+j]
					}
				}
			}
			return nil
		},
	}, x, grad)
}
