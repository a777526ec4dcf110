// Package loss computes the losses of a network's outputs and the gradients of these losses. It
// does not depend on the training graph: package model/graph calls it from operations of the graph,
// and package train uses it to measure the loss on new games.
//
// All values are seen from the side of the player to move.
package loss

import (
	"math"
	"slices"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
	"dojo.example/model"
)

// A Sum holds sums over several positions.
type Sum struct {
	Loss    float64 // sum of the losses, in nats; for an Amount head, in units of the head
	Entropy float64 // sum of the policy's entropies, in nats; 0 for other heads
	// For a value, the sum of |value − target|; for a margin, the sum of the loss's absolute
	// slopes.
	Off float64
}

// Add adds o to s.
func (s *Sum) Add(o Sum) {
	s.Loss, s.Entropy, s.Off = s.Loss+o.Loss, s.Entropy+o.Entropy, s.Off+o.Off
}

// A Policy computes the loss of a policy: the cross entropy between a target distribution over the
// legal actions and the softmax of their logits. shifted is scratch memory for the logits, from
// which the largest logit of the same position has been subtracted.
type Policy struct{ shifted []float32 }

// Rows computes the loss of the rows from ≤ row < to of a batch. It writes the gradient of the
// loss, which is softmax − target, to grad. logits, target and grad have one number for each legal
// action of these rows.
func (l *Policy) Rows(grad, logits, target []float32, in *engine.Input, from, to int) (s Sum) {
	first, _ := in.LegalRange(from, to)
	l.shifted = append(l.shifted[:0], logits...)
	for row := from; row < to; row++ {
		begin, end := in.LegalRange(row, row+1)
		detmath.Shift(l.shifted[begin-first : end-first])
	}
	copy(grad, l.shifted)
	// One call for all rows, because Exp32s is faster for several numbers at a time.
	detmath.Exp32s(grad)
	for row := from; row < to; row++ {
		begin, end := in.LegalRange(row, row+1)
		begin, end = begin-first, end-first
		loss, entropy := crossEntropy(grad[begin:end], l.shifted[begin:end], target[begin:end])
		s.Loss, s.Entropy = s.Loss+loss, s.Entropy+entropy
	}
	return s
}

// crossEntropy returns the cross entropy of one row and the entropy of the row's softmax. On entry,
// exp has the exponentials of the logits; crossEntropy overwrites them with the gradient.
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

// CrossEntropy returns the policy loss for one position, in nats: the cross entropy between the
// target and the softmax of the legal actions' logits.
func CrossEntropy(logits, target []float32) (loss float64) {
	x := slices.Clone(logits)
	detmath.Shift(x)
	exp := slices.Clone(x)
	detmath.Exp32s(exp)
	loss, _ = crossEntropy(exp, x, target)
	return loss
}

// Win returns the value loss for one position, in nats: the cross entropy of the predicted win
// probability (1+v)/2 against (1+z)/2, where v is the value and z in [-1, 1] is the outcome for the
// same player. A network's value can be ±1 only because of rounding, so Win replaces such a value
// by a number slightly closer to 0.
func Win(v, z float64) (loss float64) {
	const most = 1 - 2e-6
	v = min(max(v, -most), most)
	loss, _ = win((detmath.Log1p(v)-detmath.Log1p(-v))/2, z)
	return loss
}

// Rows computes the loss of a Win or Amount head, and writes the gradient to grad. For each row, x
// has one output and z has one target.
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
// where z in [-1, 1] is the target. The slope of this loss is tanh x − z. This slope stays large
// even where the network is sure of the wrong outcome (tanh x is close to 1 and z is -1, or the
// other way round), where the slope of a squared error would be small.
func win(x, z float64) (loss, slope float64) {
	// For z = 1, the loss is log(1+exp(-2x)). This formula computes it without overflow.
	won := detmath.Log1p(detmath.Exp(-2*math.Abs(x))) + max(0, -2*x)
	return won + float64((1-z)*x), detmath.Tanh(x) - z
}

// huber returns the Huber loss and its slope. If the error is at most 1, the loss is half the
// square of the error. For larger errors it grows only linearly, so that a very large lead does not
// outweigh the other positions.
func huber(x, z float64) (loss, slope float64) {
	d := x - z
	if math.Abs(d) <= 1 {
		return d * d / 2, d
	}
	return math.Abs(d) - 0.5, math.Copysign(1, d)
}
