package graph

import (
	"slices"

	"dojo.example/model"
	"dojo.example/model/kernel"

	"gorgonia.org/gorgonia"
)

// A tile takes the rows of a part through all layers of a network of the sparse kind, to the
// losses and back. It is one operation of the graph, whose inputs are the parameters of all
// layers.
type tile struct {
	*replica
	layers []*tileLayer
	at     map[string]*tileLayer // by name
	policy policyLoss
}

// A tileLayer is a layer with its results for the rows of a tile, and their gradient.
type tileLayer struct {
	*layer
	from  *tileLayer
	y, dy []float32
	begun bool // dy has a part of the gradient
}

// addTile adds the operation, which computes the loss.
func (r *replica) addTile(g *gorgonia.ExprGraph) (err error) {
	t := &tile{replica: r, at: map[string]*tileLayer{}}
	r.tile = t
	for _, spec := range r.trainer.layers {
		l := &tileLayer{layer: spec, from: t.at[spec.From]}
		if spec.Kind != model.SelectedDense { // whose results are as many as there are legal actions
			l.y, l.dy = make([]float32, r.boards*spec.Out.C), make([]float32, r.boards*spec.Out.C)
		}
		t.layers, t.at[spec.Name] = append(t.layers, l), l
		r.addParams(g, spec)
	}
	wrt := slices.Repeat([]bool{true}, len(r.params))
	r.loss, err = (&op{name: "tile", wrt: wrt, do: t.run, diff: t.diff}).apply(r.params...)
	return err
}

// diff adds the gradients of the parameters, which run computes beside the loss.
func (t *tile) diff(_ gorgonia.Nodes, loss, grad *gorgonia.Node) (grads gorgonia.Nodes, err error) {
	for _, l := range t.trainer.layers {
		g, err := (&op{name: l.Name + " params'", shape: l.grad.Shape(), do: func([]float32, ...[]float32) {}}).apply(loss, grad)
		if err != nil {
			return nil, err
		}
		grads = append(grads, g)
	}
	return grads, nil
}

// run computes the losses and the gradients.
func (t *tile) run(out []float32, _ ...[]float32) {
	for _, l := range t.layers {
		l.begun = false
		if l.sparse != nil {
			l.sparse.forward(l, t.part)
		} else {
			l.conv.Run(l.y, l.from.y, nil, t.boards, l.ReLU)
		}
	}
	batch := float64(t.trainer.config.Batch)
	for i, h := range t.trainer.network.Architecture().Heads {
		l, weight := t.at[h.From], t.trainer.config.weight(h)
		s := t.lossOf(h, l, t.batch.Targets[i].Rows, weight/float32(batch))
		l.begun = true
		t.part.seen[i] = s
		out[0] += float32(weight * float32(s.loss/batch))
	}
	for i, l := range slices.Backward(t.layers) {
		if l.ReLU {
			kernel.ReLUGrad(l.dy, l.dy, l.y)
		}
		if l.sparse != nil {
			l.sparse.backward(l, t.part)
		} else {
			l.backward(t.part.grads[i].Data().([]float32), t.boards)
		}
	}
}

// lossOf computes a head's loss, and its gradient times scale with respect to the layer l.
func (t *tile) lossOf(h model.Head, l *tileLayer, target []float32, scale float32) seen {
	in, from, to := &t.batch.Input, t.part.from, t.part.to
	if h.Kind != model.Logits {
		return rowLoss(h.Kind, l.dy, l.y, target[from:to], scale)
	}
	first, end := in.LegalRange(from, to)
	l.dy = slices.Grow(l.dy[:0], end-first)[:end-first]
	return t.policy.run(l.dy, l.y, target[first:end], in, from, to, scale)
}

// backward computes the gradients of a dense layer from the gradient of its results.
func (l *tileLayer) backward(grad []float32, rows int) {
	weights, biases := l.split(grad)
	l.conv.WeightGrad(weights, biases, l.from.y, l.dy, rows)
	var others []float32
	if l.from.begun {
		others = l.from.dy
	}
	l.transposed.Run(l.from.dy, l.dy, others, rows, false)
	l.from.begun = true
}
