package graph

import (
	"fmt"
	"math"

	"dojo.example/internal/detmath"
	"dojo.example/internal/parallel"
	"dojo.example/model/kernel"

	"gorgonia.org/gorgonia"
)

// AdamW is Adam with decoupled weight decay (Loshchilov and Hutter 2019), a
// bound on the norm of the whole gradient, and a running average of the weights. After
// step n, the weights after step i count in it in proportion to Average^(n-i), for i from 1
// to n; those before the first step do not count. Gorgonia's own Adam hides its moments;
// these can be saved, so that a run that was stopped continues with the same bits.
type AdamW struct {
	Config
	Rate  float32 // the learning rate; set before each step
	Steps int     // steps taken so far

	workers int
	decayed []int       // how many elements of each parameter decay, from its first on: its weights
	first   [][]float32 // the mean of the gradients, by parameter
	second  [][]float32 // the mean of their squares, by parameter
	average [][]float32 // of the weights, by parameter
	norm    float32     // of the last gradient, before the bound
}

var _ gorgonia.Solver = (*AdamW)(nil)

// NewAdamW returns a solver of parameters. Parameter i has sizes[i] elements, of
// which the first decayed[i] are weights, which decay.
func NewAdamW(c Config, sizes, decayed []int, workers int) *AdamW {
	s := &AdamW{Config: c, workers: workers, decayed: decayed}
	for _, n := range sizes {
		s.first, s.second = append(s.first, make([]float32, n)), append(s.second, make([]float32, n))
		s.average = append(s.average, make([]float32, n))
	}
	return s
}

// Step takes a step down the gradients, which it leaves as they are. If a gradient is
// not finite it takes no step and returns an error.
func (s *AdamW) Step(params []gorgonia.ValueGrad) error {
	values, grads := make([][]float32, len(params)), make([][]float32, len(params))
	for i, p := range params {
		g, err := p.Grad()
		if err != nil {
			return fmt.Errorf("graph: parameter %d has no gradient: %w", i, err)
		}
		values[i], grads[i] = p.Value().Data().([]float32), g.Data().([]float32)
	}
	total := s.squares(grads)
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
	forEachPiece(values, s.workers, func(_, i, from, to int) {
		take := func(step kernel.Adam, from, to int) {
			step.Step(values[i][from:to], grads[i][from:to], s.first[i][from:to], s.second[i][from:to], s.average[i][from:to])
		}
		weights := min(max(from, s.decayed[i]), to) // the biases behind them do not decay
		take(step, weights, to)
		step := step
		step.Decay = s.WeightDecay
		take(step, from, weights)
	})
	return nil
}

// squares returns the sum of the squares of all gradients, in an order that does not
// depend on the workers.
func (s *AdamW) squares(grads [][]float32) (total float64) {
	sums := make([]float64, pieces(grads))
	forEachPiece(grads, s.workers, func(k, i, from, to int) { sums[k] = kernel.Squares(grads[i][from:to]) })
	for _, x := range sums {
		total += x
	}
	return total
}

// pieceSize is the number of elements that a worker takes at a time.
const pieceSize = 1 << 12

// pieces is the number of pieces that forEachPiece splits arrays into.
func pieces(arrays [][]float32) (n int) {
	for _, a := range arrays {
		n += (len(a) + pieceSize - 1) / pieceSize
	}
	return n
}

// forEachPiece splits the elements of some arrays among the workers: f has piece k,
// which is those at from ≤ j < to of array i.
func forEachPiece(arrays [][]float32, workers int, f func(k, i, from, to int)) {
	type piece struct{ i, from, to int }
	var all []piece
	for i, a := range arrays {
		for from := 0; from < len(a); from += pieceSize {
			all = append(all, piece{i, from, min(len(a), from+pieceSize)})
		}
	}
	parallel.For(len(all), workers, func(k int) { f(k, all[k].i, all[k].from, all[k].to) })
}
