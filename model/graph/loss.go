package graph

import (
	"math"

	"dojo/internal/detmath"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A policyLoss is the sum over rows of the cross entropy, in nats, between a target
// distribution over the legal actions and the softmax of their logits, divided by the
// positions of the batch. Illegal actions have a negative target and are left out.
type policyLoss struct {
	rows, batch, actions int    // rows of the batch's positions
	lists                *lists // nil, or logits and targets are those of the legal actions alone
	workers              int

	loss, entropy float64    // sums over the rows at the last run, in nats
	losses        []float64  // by row
	entropies     []float64  // by row
	softmax       [][]chance // by row
}

// A chance is the probability of a legal action, and the index of its logit in the row.
type chance struct {
	index       int32
	probability float32
}

func newPolicyLoss(rows, batch, actions, workers int) *policyLoss {
	return &policyLoss{
		rows: rows, batch: batch, actions: actions, workers: workers,
		losses: make([]float64, rows), entropies: make([]float64, rows), softmax: make([][]chance, rows),
	}
}

// apply adds the loss to the graph.
func (l *policyLoss) apply(logits, target *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: "policy loss", arity: 2, wrt: []bool{true, false},
		do: func(out []float32, in ...[]float32) error {
			forEachChunk(l.rows, l.workers, func(_, first, end int) {
				for r := first; r < end; r++ {
					from, to := l.span(r)
					l.softmax[r], l.losses[r], l.entropies[r] = crossEntropy(l.softmax[r][:0], in[0][from:to], in[1][from:to])
				}
			})
			l.loss, l.entropy = 0, 0
			for r := range l.rows {
				l.loss, l.entropy = l.loss+l.losses[r], l.entropy+l.entropies[r]
			}
			out[0] = float32(l.loss / float64(l.batch))
			return nil
		},
		diff: l.diff,
	}, logits, target)
}

// span returns where in the logits, and in the targets, a row lies.
func (l *policyLoss) span(row int) (from, to int) {
	if l.lists == nil {
		return row * l.actions, (row + 1) * l.actions
	}
	return l.lists.LegalRange(row, row+1)
}

// diff adds the gradient of the logits, which is (softmax − target) / batch. It uses
// the softmax that the loss has left.
func (l *policyLoss) diff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	g, err := gorgonia.ApplyOp(&op{
		name: "policy loss'", arity: 3, shape: in[0].Shape(), wrt: []bool{false, false, false},
		scalars: []bool{false, true, true}, // the loss is an input only so that it is computed first
		do: func(out []float32, in ...[]float32) error {
			scale := in[2][0] / float32(l.batch)
			forEachChunk(l.rows, l.workers, func(_, first, end int) {
				for r := first; r < end; r++ {
					from, to := l.span(r)
					clear(out[from:to])
					for _, c := range l.softmax[r] {
						i := from + int(c.index)
						out[i] = scale * (c.probability - in[0][i])
					}
				}
			})
			return nil
		},
	}, in[1], out, grad)
	return gorgonia.Nodes{g, nil}, err
}

// crossEntropy returns the cross entropy of one row and the entropy of its softmax,
// which it appends to p for the legal actions, in order.
func crossEntropy(p []chance, logits, target []float32) (softmax []chance, loss, entropy float64) {
	top := float32(math.Inf(-1))
	for a, t := range target {
		if t >= 0 {
			p = append(p, chance{index: int32(a)})
			if x := logits[a]; x > top { // many times as fast as max
				top = x
			}
		}
	}
	var sum float64
	for i, c := range p {
		e := detmath.Exp(float64(logits[c.index] - top))
		p[i].probability = float32(e)
		sum += e
	}
	logSum := detmath.Log(sum)
	for i := range p {
		c := &p[i]
		c.probability /= float32(sum)
		logP := float64(logits[c.index]-top) - logSum
		loss -= float64(float64(target[c.index]) * logP)
		entropy -= float64(float64(c.probability) * logP)
	}
	return p, loss, entropy
}

// CrossEntropy is the loss of a policy in one position, in nats: that of the softmax of
// the logits against the target, which is negative where an action is illegal.
func CrossEntropy(logits, target []float32) (loss float64) {
	_, loss, _ = crossEntropy(nil, logits, target)
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

// A rowLoss is the sum over rows of a loss between one output x and its target z,
// divided by the positions of the batch.
type rowLoss struct {
	rows, batch int                                      // rows of the batch's positions
	loss        func(x, z float64) (loss, slope float64) // and its derivative with respect to x

	sum float64 // of the loss over the rows at the last run
	off float64 // the same of |slope|; with winLoss, of |value − target|
}

// winLoss is the cross entropy, in nats, of the win probability (1+tanh x)/2
// against (1+z)/2, where z in [-1, 1] is the target. Its slope is tanh x − z, which
// unlike that of a squared error stays large where tanh x is near the wrong ±1.
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

// apply adds the loss to the graph.
func (l *rowLoss) apply(x, z *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: "row loss", arity: 2, wrt: []bool{true, false},
		do: func(out []float32, in ...[]float32) error {
			l.sum, l.off = 0, 0
			for i, x := range in[0] {
				row, slope := l.loss(float64(x), float64(in[1][i]))
				l.sum, l.off = l.sum+row, l.off+math.Abs(slope)
			}
			out[0] = float32(l.sum / float64(l.batch))
			return nil
		},
		diff: func(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
			g, err := gorgonia.ApplyOp(&op{
				name: "row loss'", arity: 3, shape: tensor.Shape{l.rows, 1}, wrt: []bool{false, false, false},
				scalars: []bool{false, false, true},
				do: func(out []float32, in ...[]float32) error {
					for i, x := range in[0] {
						_, slope := l.loss(float64(x), float64(in[1][i]))
						out[i] = in[2][0] * float32(slope) / float32(l.batch)
					}
					return nil
				},
			}, in[0], in[1], grad)
			return gorgonia.Nodes{g, nil}, err
		},
	}, x, z)
}
