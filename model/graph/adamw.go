package graph

import (
	"fmt"
	"math"

	"dojo.example/internal/detmath"
	"dojo.example/internal/parallel"
	"dojo.example/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A parameter is a matrix that the solver changes: the weights of a layer and, behind them, its
// biases, which do not decay.
type parameter struct {
	value, grad   *tensor.Dense
	values, grads []float32 // their elements
	weights       int       // the number of weights

	first   []float32 // the mean of the gradients
	second  []float32 // the mean of their squares
	average []float32 // of the values
}

var _ gorgonia.ValueGrad = (*parameter)(nil)

func newParameter(weights, biases int) *parameter {
	zeros := func() []float32 { return make([]float32, weights+biases) }
	p := &parameter{values: zeros(), grads: zeros(), weights: weights, first: zeros(), second: zeros(), average: zeros()}
	shape := tensor.WithShape((weights+biases)/biases, biases)
	p.value, p.grad = tensor.New(shape, tensor.WithBacking(p.values)), tensor.New(shape, tensor.WithBacking(p.grads))
	return p
}

// Value and Grad make a parameter what solvers of Gorgonia take.
func (p *parameter) Value() gorgonia.Value         { return p.value }
func (p *parameter) Grad() (gorgonia.Value, error) { return p.grad, nil }

// AdamW is Adam with decoupled weight decay (Loshchilov and Hutter 2019), a
// bound on the norm of the whole gradient, and a running average of the weights. After
// step n, the weights after step i count in it in proportion to Average^(n-i), for i from 1
// to n; those before the first step do not count. Gorgonia's own Adam hides its moments;
// these can be saved, so that a run that was stopped continues with the same bits.
type AdamW struct {
	Config
	Rate  float32 // the learning rate; set before each step
	Steps int     // steps taken so far

	params  []gorgonia.ValueGrad // *parameter
	pieces  []piece              // of all parameters
	workers int
	norm    float32 // of the last gradient, before the bound
}

var _ gorgonia.Solver = (*AdamW)(nil)

// A piece is the elements from ≤ i < to of a parameter, as many as a worker takes at a time.
type piece struct{ param, from, to int }

const pieceSize = 1 << 12

// newAdamW returns the solver of the parameters, which every Step takes.
func newAdamW(c Config, params []*parameter, workers int) *AdamW {
	s := &AdamW{Config: c, workers: workers}
	for i, p := range params {
		s.params = append(s.params, p)
		for from, n := 0, len(p.first); from < n; from += pieceSize {
			s.pieces = append(s.pieces, piece{i, from, min(n, from+pieceSize)})
		}
	}
	return s
}

// Step takes a step down the gradients, which it leaves as they are. If a gradient is
// not finite it takes no step and returns an error.
func (s *AdamW) Step(params []gorgonia.ValueGrad) error {
	total := s.squares(params)
	s.norm = float32(math.Sqrt(total))
	if math.IsNaN(total) || math.IsInf(total, 0) {
		return fmt.Errorf("graph: the gradient is not finite")
	}
	step := kernel.Adam{Scale: 1, Beta1: s.Beta1, Beta2: s.Beta2, Epsilon: s.Epsilon, Rate: s.Rate}
	if s.ClipNorm > 0 && s.norm > s.ClipNorm {
		step.Scale = s.ClipNorm / s.norm
	}
	s.Steps++
	correction := func(keep float32) float64 { return 1 - detmath.Pow(float64(keep), float64(s.Steps)) }
	step.Correct1 = float32(1 / correction(s.Beta1))
	step.Correct2 = float32(1 / correction(s.Beta2))
	step.Share = float32((1 - float64(s.Average)) / correction(s.Average)) // the same correction, of Adam's moments (Kingma and Ba 2015, section 3)
	decaying := step
	decaying.Decay = s.WeightDecay
	s.forEachPiece(func(_ int, p piece) {
		x := params[p.param].(*parameter)
		take := func(step kernel.Adam, from, to int) {
			step.Step(x.values[from:to], x.grads[from:to], x.first[from:to], x.second[from:to], x.average[from:to])
		}
		biases := min(max(p.from, x.weights), p.to)
		take(decaying, p.from, biases)
		take(step, biases, p.to)
	})
	return nil
}

// squares returns the sum of the squares of all gradients, in an order that does not
// depend on the workers.
func (s *AdamW) squares(params []gorgonia.ValueGrad) (total float64) {
	sums := make([]float64, len(s.pieces))
	s.forEachPiece(func(k int, p piece) { sums[k] = kernel.Squares(params[p.param].(*parameter).grads[p.from:p.to]) })
	for _, x := range sums {
		total += x
	}
	return total
}

// forEachPiece splits the pieces among the workers: f has piece k.
func (s *AdamW) forEachPiece(f func(k int, p piece)) {
	parallel.For(len(s.pieces), s.workers, func(k int) { f(k, s.pieces[k]) })
}
