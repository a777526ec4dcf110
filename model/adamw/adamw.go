// Package adamw is the optimiser of training: Adam with decoupled weight decay (Loshchilov and
// Hutter 2019), a bound on the norm of the whole gradient, and a running average of the weights.
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

// A Param is a matrix that the solver changes: the weights of a layer and, behind them, its
// biases, which do not decay. All its arrays have the same length.
type Param struct {
	Weights int // the number of weights

	Values  []float32
	Grads   []float32 // of the last step's loss
	First   []float32 // the mean of the gradients
	Second  []float32 // the mean of their squares
	Average []float32 // of the values

	value, grad *tensor.Dense // of Values and Grads
}

var _ gorgonia.ValueGrad = (*Param)(nil)

// NewParam returns a parameter of zeros. The number of weights is a multiple of that of biases.
func NewParam(weights, biases int) *Param {
	zeros := func() []float32 { return make([]float32, weights+biases) }
	p := &Param{Weights: weights, Values: zeros(), Grads: zeros(), First: zeros(), Second: zeros(), Average: zeros()}
	shape := tensor.WithShape((weights+biases)/biases, biases)
	p.value, p.grad = tensor.New(shape, tensor.WithBacking(p.Values)), tensor.New(shape, tensor.WithBacking(p.Grads))
	return p
}

// Shape returns the shape of the matrix. Its last row is the biases.
func (p *Param) Shape() tensor.Shape { return p.value.Shape() }

// Split splits an array of the parameter into what belongs to the weights and to the biases.
func (p *Param) Split(x []float32) (weights, biases []float32) {
	return x[:p.Weights], x[p.Weights:]
}

// Value and Grad make a parameter what solvers of Gorgonia take.
func (p *Param) Value() gorgonia.Value         { return p.value }
func (p *Param) Grad() (gorgonia.Value, error) { return p.grad, nil }

// Config is the constants of the optimiser.
type Config struct {
	WeightDecay float32 // times Rate: the fraction by which a step shrinks the weights
	ClipNorm    float32 // bounds the norm of the whole gradient; 0 sets no bound
	Beta1       float32 // Adam's, as the next two
	Beta2       float32
	Epsilon     float32

	// After step n, the weights after step i count in Param.Average in proportion to Average^(n-i),
	// for i from 1 to n; those before the first step do not count.
	Average float32
}

// A Solver takes the steps of a list of parameters. Gorgonia's own Adam hides its moments; these
// can be saved, so that a run that was stopped continues with the same bits.
type Solver struct {
	Config
	Rate  float32 // the learning rate; set before each step
	Steps int     // steps taken so far
	Norm  float32 // of the last gradient, before the bound

	params []gorgonia.ValueGrad // *Param
	pieces []piece              // of all parameters
	team   *parallel.Team
}

var _ gorgonia.Solver = (*Solver)(nil)

// A piece is the elements from ≤ i < to of a parameter, as many as a worker takes at a time.
type piece struct{ param, from, to int }

const pieceSize = 1 << 12

// New returns the solver of the parameters, whose steps a team takes.
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

// Params returns the list of parameters that Step must be given.
func (s *Solver) Params() []gorgonia.ValueGrad { return s.params }

// Step takes a step down the gradients, which it leaves as they are. If a gradient is
// not finite it takes no step and returns an error.
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
	step.Share = float32((1 - float64(s.Average)) / correction(s.Average)) // the same correction, of Adam's moments (Kingma and Ba 2015, section 3)
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

// squares returns the sum of the squares of all gradients, in an order that does not
// depend on the workers.
func (s *Solver) squares(params []gorgonia.ValueGrad) (total float64) {
	sums := make([]float64, len(s.pieces))
	s.forEachPiece(func(k int, p piece) { sums[k] = kernel.Squares(params[p.param].(*Param).Grads[p.from:p.to]) })
	for _, x := range sums {
		total += x
	}
	return total
}

// forEachPiece splits the pieces among the workers: f has piece k.
func (s *Solver) forEachPiece(f func(k int, p piece)) {
	s.team.For(len(s.pieces), func(k int) { f(k, s.pieces[k]) })
}
