package graph

import (
	"math"
	"slices"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
	"dojo.example/model"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A policyLoss is the sum over rows of the cross entropy, in nats, between a target
// distribution over the legal actions and the softmax of their logits.
type policyLoss struct{ shifted []float32 } // scratch: the logits, less the largest of their row

// run computes the loss of the rows from ≤ row < to of a batch, and writes to grad its gradient,
// which is softmax − target. Logits and targets are those of the rows' legal actions alone.
func (l *policyLoss) run(grad, logits, target []float32, in *engine.Input, from, to int) (s seen) {
	first, _ := in.LegalRange(from, to)
	l.shifted = append(l.shifted[:0], logits...)
	for row := from; row < to; row++ {
		begin, end := in.LegalRange(row, row+1)
		shift(l.shifted[begin-first : end-first])
	}
	copy(grad, l.shifted)
	detmath.Exp32s(grad) // of many rows at once, as it takes several numbers at a time
	for row := from; row < to; row++ {
		begin, end := in.LegalRange(row, row+1)
		begin, end = begin-first, end-first
		loss, entropy := crossEntropy(grad[begin:end], l.shifted[begin:end], target[begin:end])
		s.loss, s.entropy = s.loss+loss, s.entropy+entropy
	}
	return s
}

// shift subtracts the largest of some numbers from them.
func shift(x []float32) {
	top := float32(math.Inf(-1))
	for _, v := range x {
		if v > top { // many times as fast as max
			top = v
		}
	}
	for i := range x {
		x[i] -= top
	}
}

// crossEntropy returns the cross entropy of one row and the entropy of its softmax. It turns
// the exponentials of the logits into the gradient.
func crossEntropy(exp, logits, target []float32) (loss, entropy float64) {
	var sum float64
	for _, e := range exp {
		sum += float64(e)
	}
	logSum, inverse := detmath.Log(sum), float32(1/sum)
	for i, t := range target {
		p, logP := float32(exp[i]*inverse), float64(logits[i])-logSum
		loss -= float64(float64(t) * logP)
		entropy -= float64(float64(p) * logP)
		exp[i] = p - t
	}
	return loss, entropy
}

// CrossEntropy is the loss of a policy in one position, in nats: the cross entropy between the
// target and the softmax of the legal actions' logits.
func CrossEntropy(logits, target []float32) (loss float64) {
	x := slices.Clone(logits)
	shift(x)
	exp := slices.Clone(x)
	detmath.Exp32s(exp)
	loss, _ = crossEntropy(exp, x, target)
	return loss
}

// WinLoss is the loss of a value v in one position, in nats: the cross entropy of the win
// probability (1+v)/2 against (1+z)/2. A v of ±1, which a network reaches by rounding
// only, counts as a little less.
func WinLoss(v, z float64) (loss float64) {
	const most = 1 - 2e-6
	v = min(max(v, -most), most)
	loss, _ = winLoss((detmath.Log1p(v)-detmath.Log1p(-v))/2, z)
	return loss
}

// rowLoss computes the loss of some rows, each between one output x and its target z, and
// writes its gradient. Of a Win seen.off is the sum of |value − target|.
func rowLoss(kind model.HeadKind, grad, x, z []float32) (s seen) {
	loss := huber
	if kind == model.Win {
		loss = winLoss
	}
	for i := range x {
		row, slope := loss(float64(x[i]), float64(z[i]))
		s.loss, s.off = s.loss+row, s.off+math.Abs(slope)
		grad[i] = float32(slope)
	}
	return s
}

// winLoss is the cross entropy, in nats, of the win probability (1+tanh x)/2
// against (1+z)/2, where z in [-1, 1] is the target. Its slope is tanh x − z. Unlike
// the slope of a squared error it stays large where tanh x is near the wrong ±1.
func winLoss(x, z float64) (loss, slope float64) {
	// The loss if z is 1: log(1+exp(-2x)), written so that it does not overflow.
	win := detmath.Log1p(detmath.Exp(-2*math.Abs(x))) + max(0, -2*x)
	return win + float64((1-z)*x), detmath.Tanh(x) - z
}

// huber is half the square of the error up to 1, and linear beyond, so that a
// rout does not outweigh the rest.
func huber(x, z float64) (loss, slope float64) {
	d := x - z
	if math.Abs(d) <= 1 {
		return d * d / 2, d
	}
	return math.Abs(d) - 0.5, math.Copysign(1, d)
}

// addLoss adds the loss of a head to the graph: its mean over the batch, to which this part contributes.
func (r *replica) addLoss(h *head) (*gorgonia.Node, error) {
	batch := float32(r.trainer.config.Batch)
	return (&op{
		name: h.Name + " loss", wrt: []bool{true},
		do: func(out []float32, in ...[]float32) {
			h.run(in[0], r.batch.Targets[h.index].Rows, r.part)
			out[0] = float32(h.seen.loss / float64(batch))
		},
		diff: func(in gorgonia.Nodes, loss, weight *gorgonia.Node) (gorgonia.Nodes, error) {
			o := &op{
				name: h.Name + " loss'", shape: in[0].Shape(),
				do: func(out []float32, in ...[]float32) {
					scale := in[1][0] / batch
					for i, slope := range h.slopes {
						out[i] = scale * slope
					}
				},
			}
			if h.Kind == model.Logits {
				o.place = r.legal()
			}
			g, err := o.apply(loss, weight) // the loss is an input only so that it is computed first
			return gorgonia.Nodes{g}, err
		},
	}).apply(h.output)
}

// run computes the loss of a part, and its slopes by the head's outputs.
func (h *head) run(x, target []float32, p *part) {
	if h.Kind != model.Logits {
		h.slopes = slices.Grow(h.slopes[:0], p.to-p.from)[:p.to-p.from]
		h.seen = rowLoss(h.Kind, h.slopes, x, target[p.from:p.to])
		return
	}
	first, end := p.in.LegalRange(p.from, p.to)
	h.slopes = slices.Grow(h.slopes[:0], end-first)[:end-first]
	h.seen = h.policy.run(h.slopes, x, target[first:end], p.in, p.from, p.to)
}

// addLegal adds an operation that selects the logits of legal actions from those of all.
func (r *replica) addLegal(all *gorgonia.Node) (*gorgonia.Node, error) {
	actions := r.trainer.network.Actions
	each := func(f func(i, of int)) { // i is the place among the legal actions, of that among all
		i := 0
		for row := r.part.from; row < r.part.to; row++ {
			for _, a := range r.part.in.LegalOf(row) {
				f(i, (row-r.part.from)*actions+int(a))
				i++
			}
		}
	}
	return (&op{
		name: "legal", shape: tensor.Shape{r.boards, 1}, place: r.legal(), wrt: []bool{true},
		do: func(out []float32, in ...[]float32) { each(func(i, of int) { out[i] = in[0][of] }) },
		diff: func(in gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
			g, err := (&op{
				name: "legal'", shape: in[0].Shape(),
				do: func(out []float32, in ...[]float32) {
					clear(out)
					each(func(i, of int) { out[of] = in[0][i] })
				},
			}).apply(grad)
			return gorgonia.Nodes{g}, err
		},
	}).apply(all)
}

// legal returns memory for a number for each legal action of the part.
func (r *replica) legal() func() *tensor.Dense {
	var column flexible
	return func() *tensor.Dense {
		from, to := r.part.in.LegalRange(r.part.from, r.part.to)
		return column.of(to - from)
	}
}
