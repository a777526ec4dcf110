// Package adamw implements the optimiser of training. It is Adam with decoupled weight decay
// (Loshchilov and Hutter 2019). It also limits the norm of the overall gradient, and computes a
// running average of the weights.
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

// A Param is a matrix of parameters, which the solver changes: the weights of a layer, followed by
// the layer's biases. Weight decay does not apply to biases. All slices of a Param have the same
// length.
type Param struct {
	Weights int // number of weights

	Values  []float32
	Grads   []float32 // gradient of the loss in the last step
	First   []float32 // Adam's running mean of the gradients
	Second  []float32 // Adam's running mean of the squared gradients
	Average []float32 // running average of Values

	value, grad *tensor.Dense // tensors that share the memory of Values and Grads
}

var _ gorgonia.ValueGrad = (*Param)(nil)

// NewParam returns a parameter with the given numbers of weights and biases, all zero. weights must
// be a multiple of biases.
func NewParam(weights, biases int) *Param {
	zeros := func() []float32 { return make([]float32, weights+biases) }
	p := &Param{Weights: weights, Values: zeros(), Grads: zeros(), First: zeros(), Second: zeros(), Average: zeros()}
	shape := tensor.WithShape((weights+biases)/biases, biases)
	p.value, p.grad = tensor.New(shape, tensor.WithBacking(p.Values)), tensor.New(shape, tensor.WithBacking(p.Grads))
	return p
}

// Shape returns the shape of the matrix. Its last row holds the biases.
func (p *Param) Shape() tensor.Shape { return p.value.Shape() }

// Split splits one of the parameter's slices into a slice for the weights and a slice for the
// biases.
func (p *Param) Split(x []float32) (weights, biases []float32) {
	return x[:p.Weights], x[p.Weights:]
}

// Value and Grad implement gorgonia.ValueGrad, the parameter type of Gorgonia's solvers.
func (p *Param) Value() gorgonia.Value         { return p.value }
func (p *Param) Grad() (gorgonia.Value, error) { return p.grad, nil }

// Config holds the settings of the optimiser.
type Config struct {
	WeightDecay float32 // each step shrinks the weights by the fraction WeightDecay·Rate
	ClipNorm    float32 // maximum norm of the gradient of all parameters together; 0 for no limit
	Beta1       float32 // Beta1, Beta2 and Epsilon have the same names as in the paper on Adam
	Beta2       float32
	Epsilon     float32

	// Average is the decay of the running average, Param.Average. After n steps, it is a weighted
	// mean of the values after each step: the values after step i (1 ≤ i ≤ n) have a weight
	// proportional to Average^(n-i). The initial values are not included.
	Average float32
}

// A Solver changes a list of parameters step by step. Unlike Gorgonia's own Adam, it gives its
// caller access to the moments (the running means of the gradients and their squares). Because the
// caller can save them, a stopped run can continue bit for bit.
type Solver struct {
	Config
	Rate  float32 // learning rate; set it before each step
	Steps int     // number of steps taken so far
	Norm  float32 // norm of the last gradient, before ClipNorm limited it

	params []gorgonia.ValueGrad // all elements are of type *Param
	pieces []piece              // all pieces of all parameters
	team   *parallel.Team
}

var _ gorgonia.Solver = (*Solver)(nil)

// A piece is a range of a parameter's elements: from ≤ i < to. The workers of the team process one
// piece at a time.
type piece struct{ param, from, to int }

const pieceSize = 1 << 12

// New returns a solver for the parameters. Its steps are computed by the workers of the team.
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

// Step takes one step: it changes the parameters against the direction of the gradients. It does
// not change the gradients. If a gradient is not finite, Step changes nothing and returns an error.
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
	// Share is the weight of the new values in the running average. It includes Adam's bias
	// correction (Kingma and Ba 2015, section 3).
	step.Share = float32((1 - float64(s.Average)) / correction(s.Average))
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

// squares returns the sum of the squares of all gradients. The order of the additions does not
// depend on the number of workers.
func (s *Solver) squares(params []gorgonia.ValueGrad) (total float64) {
	sums := make([]float64, len(s.pieces))
	s.forEachPiece(func(k int, p piece) { sums[k] = kernel.Squares(params[p.param].(*Param).Grads[p.from:p.to]) })
	for _, x := range sums {
		total += x
	}
	return total
}

// forEachPiece calls f(k, p) for every piece p, where k is the index of the piece. The calls are
// distributed over the workers of the team.
func (s *Solver) forEachPiece(f func(k int, p piece)) {
	s.team.For(len(s.pieces), func(k int) { f(k, s.pieces[k]) })
}
