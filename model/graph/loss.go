package graph

import (
	"math"
	"slices"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
	"dojo.example/model"

	"gorgonia.org/gorgonia"
)

// A policyLoss is the sum over rows of the cross entropy, in nats, between a target
// distribution over the legal actions and the softmax of their logits.
type policyLoss struct{ shifted []float32 } // scratch: the logits, less the largest of their row

// run computes the loss of the rows from ≤ row < to of a batch, and writes to grad its gradient
// times scale, which is scale·(softmax − target). Logits and targets are those of the rows'
// legal actions alone. grad may be logits.
func (l *policyLoss) run(grad, logits, target []float32, in *engine.Input, from, to int, scale float32) (s seen) {
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
		loss, entropy := crossEntropy(grad[begin:end], l.shifted[begin:end], target[begin:end], scale)
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
// the exponentials of the logits into the gradient times scale.
func crossEntropy(exp, logits, target []float32, scale float32) (loss, entropy float64) {
	var sum float64
	for _, e := range exp {
		sum += float64(e)
	}
	logSum, inverse := detmath.Log(sum), float32(1/sum)
	for i, t := range target {
		p, logP := float32(exp[i]*inverse), float64(logits[i])-logSum
		loss -= float64(float64(t) * logP)
		entropy -= float64(float64(p) * logP)
		exp[i] = scale * (p - t)
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
	loss, _ = crossEntropy(exp, x, target, 1)
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
// writes its gradient times scale. Of a Win seen.off is the sum of |value − target|.
func rowLoss(kind model.HeadKind, grad, x, z []float32, scale float32) (s seen) {
	loss := huber
	if kind == model.Win {
		loss = winLoss
	}
	for i := range x {
		row, slope := loss(float64(x[i]), float64(z[i]))
		s.loss, s.off = s.loss+row, s.off+math.Abs(slope)
		grad[i] = scale * float32(slope)
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

// addLoss adds a head's loss to the graph: its mean over the batch, to which these boards
// contribute their part.
func (r *replica) addLoss(h *head) (*gorgonia.Node, error) {
	batch := float32(r.trainer.config.Batch)
	grad := make([]float32, h.output.Shape().TotalSize())
	return (&op{
		name: h.Name + " loss", wrt: []bool{true},
		do: func(out []float32, in ...[]float32) {
			target := r.batch.Targets[h.index].Rows
			if h.Kind == model.Logits {
				h.seen = r.policyLoss(h, grad, in[0], target, 1/batch)
			} else {
				h.seen = rowLoss(h.Kind, grad, in[0], target[r.part.from:r.part.to], 1/batch)
			}
			out[0] = float32(h.seen.loss / float64(batch))
		},
		diff: func(in gorgonia.Nodes, loss, weight *gorgonia.Node) (gorgonia.Nodes, error) {
			g, err := (&op{
				name: h.Name + " loss'", shape: in[0].Shape(),
				do: func(out []float32, in ...[]float32) {
					for i, g := range grad {
						out[i] = in[1][0] * g
					}
				},
			}).apply(loss, weight) // the loss is an input only so that it is computed first
			return gorgonia.Nodes{g}, err
		},
	}).apply(h.output)
}

// policyLoss is policyLoss.run where logits and their gradient are those of all actions.
func (r *replica) policyLoss(h *head, grad, logits, target []float32, scale float32) seen {
	in, actions := &r.batch.Input, r.trainer.network.Actions
	h.logits = h.logits[:0]
	for row := r.part.from; row < r.part.to; row++ {
		for _, a := range in.LegalOf(row) {
			h.logits = append(h.logits, logits[(row-r.part.from)*actions+int(a)])
		}
	}
	first, end := in.LegalRange(r.part.from, r.part.to)
	s := h.policy.run(h.logits, h.logits, target[first:end], in, r.part.from, r.part.to, scale)
	clear(grad)
	i := 0
	for row := r.part.from; row < r.part.to; row++ {
		for _, a := range in.LegalOf(row) {
			grad[(row-r.part.from)*actions+int(a)] = h.logits[i]
			i++
		}
	}
	return s
}
