// Package adamw implements the optimiser of training: Adam with decoupled weight decay (Loshchilov
// and Hutter 2019), a bound on the norm of the whole gradient, and a running average of the
// weights.
package adamw

import (
	"fmt"
	"math"

	"dojo.example/internal/detmath"
	"dojo.example/internal/parallel"
	"dojo.example/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Param is a matrix that the solver changes. It holds the weights of a layer followed by the
// layer's biases, to which weight decay does not apply. All its slices have the same length.
type Param struct {
	Weights int // number of weights

	Values  []float32
	Grads   []float32 // gradient of the last step's loss
	First   []float32 // Adam's mean of the gradients
	Second  []float32 // Adam's mean of the squared gradients
	Average []float32 // running average of the values

	value, grad *tensor.Dense // tensors that share the memory of Values and Grads
}

var _ gorgonia.ValueGrad = (*Param)(nil)

// NewParam returns a parameter with all values zero. weights must be a multiple of biases.
func NewParam(weights, biases int) *Param {
	zeros := func() []float32 { return make([]float32, weights+biases) }
	p := &Param{Weights: weights, Values: zeros(), Grads: zeros(), First: zeros(), Second: zeros(), Average: zeros()}
	shape := tensor.WithShape((weights+biases)/biases, biases)
	p.value, p.grad = tensor.New(shape, tensor.WithBacking(p.Values)), tensor.New(shape, tensor.WithBacking(p.Grads))
	return p
}

// Shape returns the shape of the matrix. The last row holds the biases.
func (p *Param) Shape() tensor.Shape { return p.value.Shape() }

// Split splits one of the parameter's slices into the weights' part and the biases' part.
func (p *Param) Split(x []float32) (weights, biases []float32) {
	return x[:p.Weights], x[p.Weights:]
}

// Value and Grad implement gorgonia.ValueGrad, the parameter type of Gorgonia's solvers.
func (p *Param) Value() gorgonia.Value         { return p.value }
func (p *Param) Grad() (gorgonia.Value, error) { return p.grad, nil }

// Config holds the constants of the optimiser.
type Config struct {
	WeightDecay float32 // WeightDecay times Rate is the fraction by which a step shrinks the weights
	ClipNorm    float32 // largest norm of the whole gradient; 0 means no limit
	Beta1       float32 // Beta1, Beta2 and Epsilon are the constants of Adam
	Beta2       float32
	Epsilon     float32

	// Average is the decay of the running average. After step n, the weights after step i, for i
	// from 1 to n, count in Param.Average in proportion to Average^(n-i). The weights before the
	// first step do not count.
	Average float32
}

// A Solver changes a list of parameters step by step. Gorgonia's own Adam hides its moments. The
// moments of a Solver can be saved, so that a stopped run continues with the same bits.
type Solver struct {
	Config
	Rate  float32 // learning rate; set it before each step
	Steps int     // number of steps taken so far
	Norm  float32 // norm of the last gradient before ClipNorm applied

	params []gorgonia.ValueGrad // each one is a *Param
	pieces []piece              // pieces of all parameters
	team   *parallel.Team
}

var _ gorgonia.Solver = (*Solver)(nil)

// A piece is the elements from ≤ i < to of a parameter. A worker takes one piece at a time.
type piece struct{ param, from, to int }

const pieceSize = 1 << 12

// New returns a solver for the parameters. The team computes its steps.
func New(c Config, params []*Param, team *parallel.Team) *Solver {
	s := &Solver{Config: c, team: team}
	for i, p := range params {
		s.params = append(s.params, p)
		for from, n := 0, len(p.Values); from < n; from += pieceSize {
			s.pieces = append(s.pieces, piece{i, from, min(n, from+pieceSize)})
		}
	}
	return s
}

// Params returns the list of parameters that Step expects.
func (s *Solver) Params() []gorgonia.ValueGrad { return s.params }

// Step takes one step down the gradients and does not change the gradients. If a gradient is not
// finite, Step changes nothing and returns an error.
func (s *Solver) Step(params []gorgonia.ValueGrad) error {
	total := s.squares(params)
	s.Norm = float32(math.Sqrt(total))
	if norm := float64(s.Norm); math.IsNaN(norm) || math.IsInf(norm, 0) {
		return fmt.Errorf("the gradient is not finite")
	}
	step := kernel.Adam{Scale: 1, Beta1: s.Beta1, Beta2: s.Beta2, Epsilon: s.Epsilon, Rate: s.Rate}
	if s.ClipNorm > 0 && s.Norm > s.ClipNorm {
		step.Scale = s.ClipNorm / s.Norm
	}
	s.Steps++
	correction := func(keep float32) float64 { return 1 - detmath.Pow(float64(keep), float64(s.Steps)) }
	step.Correct1 = float32(1 / correction(s.Beta1))
	step.Correct2 = float32(1 / correction(s.Beta2))
	step.Share = float32((1 - float64(s.Average)) / correction(s.Average)) // the correction of Adam's moments (Kingma and Ba 2015, section 3), applied to the average
	decaying := step
	decaying.Decay = s.WeightDecay
	s.forEachPiece(func(_ int, p piece) {
		x := params[p.param].(*Param)
		take := func(step kernel.Adam, from, to int) {
			step.Step(x.Values[from:to], x.Grads[from:to], x.First[from:to], x.Second[from:to], x.Average[from:to])
		}
		biases := min(max(p.from, x.Weights), p.to)
		take(decaying, p.from, biases)
		take(step, biases, p.to)
	})
	return nil
}

// squares returns the sum of the squares of all gradients. The order of summation does not depend
// on the number of workers.
func (s *Solver) squares(params []gorgonia.ValueGrad) (total float64) {
	sums := make([]float64, len(s.pieces))
	s.forEachPiece(func(k int, p piece) { sums[k] = kernel.Squares(params[p.param].(*Param).Grads[p.from:p.to]) })
	for _, x := range sums {
		total += x
	}
	return total
}

// forEachPiece calls f for every piece, on all workers of the team. k is the index of the piece.
func (s *Solver) forEachPiece(f func(k int, p piece)) {
	s.team.For(len(s.pieces), func(k int) { f(k, s.pieces[k]) })
}
