package graph

import (
	"math"

	"dojo/internal/detmath"
	"dojo/internal/parallel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A policyLoss is the mean over rows of the cross entropy, in nats, between a
// target distribution over the legal actions and the softmax of their logits.
// Illegal actions have a negative target and are left out.
type policyLoss struct {
	rows, actions int
	lists         *lists // nil, or logits and targets are those of the legal actions alone
	workers       int
	entropy       float32   // mean entropy of the softmax at the last run, in nats
	losses        []float64 // by row
	entropies     []float64 // by row
	probabilities []float32 // the softmax, by row and action; 0 where illegal
}

func newPolicyLoss(rows, actions, workers int) *policyLoss {
	return &policyLoss{
		rows: rows, actions: actions, workers: workers,
		losses: make([]float64, rows), entropies: make([]float64, rows),
		probabilities: make([]float32, rows*actions),
	}
}

// apply adds the loss to the graph.
func (l *policyLoss) apply(logits, target *gorgonia.Node) (*gorgonia.Node, error) {
	return gorgonia.ApplyOp(&op{
		name: "policy loss", arity: 2, wrt: []bool{true, false},
		do: func(out []float32, in ...[]float32) error {
			parallel.For(chunks, l.workers, func(c int) {
				for r := l.rows * c / chunks; r < l.rows*(c+1)/chunks; r++ {
					from, to := l.span(r)
					l.losses[r], l.entropies[r] = crossEntropy(l.probabilities[from:to], in[0][from:to], in[1][from:to])
				}
			})
			var loss, entropy float64
			for r := range l.rows {
				loss, entropy = loss+l.losses[r], entropy+l.entropies[r]
			}
			out[0], l.entropy = float32(loss/float64(l.rows)), float32(entropy/float64(l.rows))
			return nil
		},
		diff: l.diff,
	}, logits, target)
}

// span returns where in the logits, and in the targets, a row lies. For the row
// behind the last one only from has a meaning.
func (l *policyLoss) span(row int) (from, to int) {
	if l.lists == nil {
		return row * l.actions, (row + 1) * l.actions
	}
	return l.lists.LegalRange(row, min(row+1, l.rows))
}

// diff adds the gradient of the logits, which is (softmax − target) / rows. It uses
// the softmax that the loss left in probabilities.
func (l *policyLoss) diff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	g, err := gorgonia.ApplyOp(&op{
		name: "policy loss'", arity: 3, shape: in[0].Shape(), wrt: []bool{false, false, false},
		scalars: []bool{false, true, true}, // the loss is an input only so that it is computed first
		do: func(out []float32, in ...[]float32) error {
			scale := in[2][0] / float32(l.rows)
			parallel.For(chunks, l.workers, func(c int) {
				from, _ := l.span(l.rows * c / chunks)
				to, _ := l.span(l.rows * (c + 1) / chunks)
				for i := from; i < to; i++ {
					out[i] = 0
					if t := in[0][i]; t >= 0 {
						out[i] = scale * (l.probabilities[i] - t)
					}
				}
			})
			return nil
		},
	}, in[1], out, grad)
	return gorgonia.Nodes{g, nil}, err
}

// crossEntropy returns the cross entropy of one row and the entropy of its softmax,
// which it leaves in p.
func crossEntropy(p, logits, target []float32) (loss, entropy float64) {
	top := float32(math.Inf(-1))
	for a, t := range target {
		if t >= 0 {
			top = max(top, logits[a])
		}
	}
	var sum float64
	for a, t := range target {
		p[a] = 0
		if t >= 0 {
			e := detmath.Exp(float64(logits[a] - top))
			p[a] = float32(e)
			sum += e
		}
	}
	logSum := detmath.Log(sum)
	for a, t := range target {
		if t >= 0 {
			p[a] /= float32(sum)
			logP := float64(logits[a]-top) - logSum
			loss -= float64(float64(t) * logP)
			entropy -= float64(float64(p[a]) * logP)
		}
	}
	return loss, entropy
}

// A rowLoss is the mean over rows of a loss between one output x and its target z.
type rowLoss struct {
	rows int
	loss func(x, z float64) (loss, slope float64) // and its derivative with respect to x
	err  float32                                  // mean |slope| at the last run; with winLoss, of |value − target|
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
			var loss, off float64
			for i, x := range in[0] {
				row, slope := l.loss(float64(x), float64(in[1][i]))
				loss, off = loss+row, off+math.Abs(slope)
			}
			out[0], l.err = float32(loss/float64(l.rows)), float32(off/float64(l.rows))
			return nil
		},
		diff: func(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
			g, err := gorgonia.ApplyOp(&op{
				name: "row loss'", arity: 3, shape: tensor.Shape{l.rows, 1}, wrt: []bool{false, false, false},
				scalars: []bool{false, false, true},
				do: func(out []float32, in ...[]float32) error {
					for i, x := range in[0] {
						_, slope := l.loss(float64(x), float64(in[1][i]))
						out[i] = in[2][0] * float32(slope) / float32(l.rows)
					}
					return nil
				},
			}, in[0], in[1], grad)
			return gorgonia.Nodes{g, nil}, err
		},
	}, x, z)
}
