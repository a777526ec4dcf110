package graph

import (
	"slices"

	"dojo.example/model"
	"dojo.example/model/loss"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// addLoss adds the operation that computes a head's loss to the graph. The loss is summed over the
// positions in the replica's current part, multiplied by the weight of the head, and divided by the
// number of positions in the whole batch.
func (r *replica) addLoss(h *head) (*gorgonia.Node, error) {
	scale := r.trainer.config.weight(h.Head) / float32(r.trainer.config.Batch)
	return (&op{
		name: h.Name + " loss", wrt: []bool{true},
		do: func(out, x, _, _ []float32) {
			s := h.run(x, r.part.batch.Targets[h.index].Rows, r.part)
			out[0], r.part.seen[h.index] = scale*float32(s.Loss), s
		},
		diff: func(in gorgonia.Nodes, mean, grad *gorgonia.Node) (gorgonia.Nodes, error) {
			o := &op{
				name: h.Name + " loss'", shape: in[0].Shape(),
				do: func(out, _, grad, _ []float32) {
					for i, slope := range h.slopes {
						out[i] = grad[0] * scale * slope
					}
				},
			}
			if h.Kind == model.Logits {
				o.place = r.legal()
			}
			// The operation does not read mean. It is an input so that the loss is computed before
			// its gradient.
			g, err := o.apply(mean, grad)
			return gorgonia.Nodes{g}, err
		},
	}).apply(h.output)
}

// run computes the loss of a head on the positions of a part. It stores the derivatives of the loss
// with respect to the head's outputs in h.slopes.
func (h *head) run(x, target []float32, p *part) loss.Sum {
	if h.Kind != model.Logits {
		h.slopes = slices.Grow(h.slopes[:0], p.to-p.from)[:p.to-p.from]
		return loss.Rows(h.Kind, h.slopes, x, target[p.from:p.to])
	}
	first, end := p.batch.Input.LegalRange(p.from, p.to)
	h.slopes = slices.Grow(h.slopes[:0], end-first)[:end-first]
	return h.policy.Rows(h.slopes, x[:end-first], target[first:end], &p.batch.Input, p.from, p.to)
}

// addLegal adds an operation that picks the logits of the legal actions from the logits of all
// actions.
func (r *replica) addLegal(all *gorgonia.Node) (*gorgonia.Node, error) {
	actions := r.trainer.network.Actions
	// each calls f(i, of) for each legal action in the part's positions. i numbers these actions
	// from 0, and of is the index of the action's logit among the logits of all actions.
	each := func(f func(i, of int)) {
		i := 0
		for row := r.part.from; row < r.part.to; row++ {
			for _, a := range r.part.batch.Input.LegalOf(row) {
				f(i, (row-r.part.from)*actions+int(a))
				i++
			}
		}
	}
	return (&op{
		name: "legal", shape: tensor.Shape{r.boards, 1}, place: r.legal(), wrt: []bool{true},
		do: func(out, all, _, _ []float32) { each(func(i, of int) { out[i] = all[of] }) },
		diff: func(in gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
			g, err := (&op{
				name: "legal'", shape: in[0].Shape(),
				do: func(out, grad, _, _ []float32) {
					clear(out)
					each(func(i, of int) { out[of] = grad[i] })
				},
			}).apply(grad)
			return gorgonia.Nodes{g}, err
		},
	}).apply(all)
}

// legal returns a function for op.place, which returns memory for one number per legal action in
// the current part's positions.
func (r *replica) legal() func([]gorgonia.Value) *tensor.Dense {
	var column flexible
	return func([]gorgonia.Value) *tensor.Dense {
		from, to := r.part.batch.Input.LegalRange(r.part.from, r.part.to)
		return column.of(to - from)
	}
}
