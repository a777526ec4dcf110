// Package loss computes the losses of a network's outputs and the gradients of these losses. It
// does not depend on a graph: package model/graph calls it in nodes of its graph, and package train
// measures new games with it.
//
// All values are for the player to move.
package loss

import (
	"math"
	"slices"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
	"dojo.example/model"
)

// A Sum adds up a loss over some positions.
type Sum struct {
	Loss    float64 // in nats; for an Amount, in units of the head
	Entropy float64 // entropy of a policy, in nats; 0 for other heads
	Off     float64 // sum of |value − target| for a value, and of the loss's absolute slope for a margin
}

// Add adds o to s.
func (s *Sum) Add(o Sum) {
	s.Loss, s.Entropy, s.Off = s.Loss+o.Loss, s.Entropy+o.Entropy, s.Off+o.Off
}

// A Policy computes the loss of a policy: the cross entropy between a target distribution over the
// legal actions and the softmax of their logits.
type Policy struct{ shifted []float32 } // scratch memory: the logits minus the largest logit of their row

// Rows computes the loss of the rows from ≤ row < to of a batch and writes its gradient, softmax −
// target, to grad. logits, target and grad have one number for each legal action of these rows.
func (l *Policy) Rows(grad, logits, target []float32, in *engine.Input, from, to int) (s Sum) {
	first, _ := in.LegalRange(from, to)
	l.shifted = append(l.shifted[:0], logits...)
	for row := from; row < to; row++ {
		begin, end := in.LegalRange(row, row+1)
		detmath.Shift(l.shifted[begin-first : end-first])
	}
	copy(grad, l.shifted)
	detmath.Exp32s(grad) // many rows in one call, because it takes several numbers at a time
	for row := from; row < to; row++ {
		begin, end := in.LegalRange(row, row+1)
		begin, end = begin-first, end-first
		loss, entropy := crossEntropy(grad[begin:end], l.shifted[begin:end], target[begin:end])
		s.Loss, s.Entropy = s.Loss+loss, s.Entropy+entropy
	}
	return s
}

// crossEntropy returns the cross entropy of one row and the entropy of its softmax. It replaces
// exp, the exponentials of the logits, by the gradient.
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

// CrossEntropy returns the loss of a policy in one position, in nats: the cross entropy between the
// target and the softmax of the legal actions' logits.
func CrossEntropy(logits, target []float32) (loss float64) {
	x := slices.Clone(logits)
	detmath.Shift(x)
	exp := slices.Clone(x)
	detmath.Exp32s(exp)
	loss, _ = crossEntropy(exp, x, target)
	return loss
}

// Win returns the loss of a value v in one position, in nats: the cross entropy of the win
// probability (1+v)/2 against (1+z)/2, where z in [-1, 1] is the outcome for the same player. A
// network reaches v = ±1 only by rounding; Win replaces it by a slightly smaller magnitude.
func Win(v, z float64) (loss float64) {
	const most = 1 - 2e-6
	v = min(max(v, -most), most)
	loss, _ = win((detmath.Log1p(v)-detmath.Log1p(-v))/2, z)
	return loss
}

// Rows computes the loss of a head of kind Win or Amount. x has one output and z one target for
// each row. Rows writes the gradient to grad.
func Rows(kind model.HeadKind, grad, x, z []float32) (s Sum) {
	loss := huber
	if kind == model.Win {
		loss = win
	}
	for i := range x {
		row, slope := loss(float64(x[i]), float64(z[i]))
		s.Loss, s.Off = s.Loss+row, s.Off+math.Abs(slope)
		grad[i] = float32(slope)
	}
	return s
}

// win returns the cross entropy, in nats, of the win probability (1+tanh x)/2 against (1+z)/2,
// where z in [-1, 1] is the target. Its slope is tanh x − z. Unlike the slope of a squared error,
// this slope stays large where tanh x is near the wrong one of ±1.
func win(x, z float64) (loss, slope float64) {
	// The loss for z = 1 is log(1+exp(-2x)), written here in a form that does not overflow.
	won := detmath.Log1p(detmath.Exp(-2*math.Abs(x))) + max(0, -2*x)
	return won + float64((1-z)*x), detmath.Tanh(x) - z
}

// huber returns half the square of the error if the error is at most 1, and a linear loss beyond. A
// very large lead therefore does not outweigh the other positions.
func huber(x, z float64) (loss, slope float64) {
	d := x - z
	if math.Abs(d) <= 1 {
		return d * d / 2, d
	}
	return math.Abs(d) - 0.5, math.Copysign(1, d)
}
