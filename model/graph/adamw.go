package graph

import (
	"fmt"
	"math"

	"dojo/internal/detmath"
	"dojo/internal/parallel"

	"gorgonia.org/gorgonia"
)

// AdamW is Adam with decoupled weight decay (Loshchilov and Hutter 2019) and a
// bound on the norm of the whole gradient. Gorgonia's own Adam hides its moments;
// these can be saved, so that a run that was stopped continues with the same bits.
type AdamW struct {
	Config
	Rate  float32 // the learning rate; set before each step
	Steps int     // steps taken so far

	workers int
	decayed []int       // how many elements of each parameter decay, from its first on: its weights
	first   [][]float32 // the mean of the gradients, by parameter
	second  [][]float32 // the mean of their squares, by parameter
	norm    float32     // of the last gradient, before the bound
}

var _ gorgonia.Solver = (*AdamW)(nil)

// NewAdamW returns a solver of parameters. Parameter i has sizes[i] elements, of
// which the first decayed[i] are weights, which decay.
func NewAdamW(c Config, sizes, decayed []int, workers int) *AdamW {
	s := &AdamW{Config: c, workers: workers, decayed: decayed}
	for _, n := range sizes {
		s.first, s.second = append(s.first, make([]float32, n)), append(s.second, make([]float32, n))
	}
	return s
}

// Step takes a step down the gradients and then clears them, as Gorgonia's solvers
// do. If a gradient is not finite it takes no step and returns an error.
func (s *AdamW) Step(params []gorgonia.ValueGrad) error {
	values, grads := make([][]float32, len(params)), make([][]float32, len(params))
	norms := make([]float64, len(params))
	for i, p := range params {
		g, err := p.Grad()
		if err != nil {
			return fmt.Errorf("graph: parameter %d has no gradient: %w", i, err)
		}
		values[i], grads[i] = p.Value().Data().([]float32), g.Data().([]float32)
	}
	parallel.For(len(params), s.workers, func(i int) {
		for _, g := range grads[i] {
			norms[i] += float64(float64(g) * float64(g))
		}
	})
	var total float64
	for _, n := range norms {
		total += n
	}
	s.norm = float32(math.Sqrt(total))
	if math.IsNaN(total) || math.IsInf(total, 0) {
		return fmt.Errorf("graph: the gradient is not finite")
	}
	scale := float32(1)
	if s.ClipNorm > 0 && s.norm > s.ClipNorm {
		scale = s.ClipNorm / s.norm
	}
	s.Steps++
	correct1 := float32(1 / (1 - detmath.Pow(float64(s.Beta1), float64(s.Steps))))
	correct2 := float32(1 / (1 - detmath.Pow(float64(s.Beta2), float64(s.Steps))))
	forEachPiece(values, s.workers, func(i, from, to int) {
		w, g, m, v := values[i][:to], grads[i][:to], s.first[i][:to], s.second[i][:to]
		for j := from; j < to; j++ {
			d := g[j] * scale
			m[j] = float32(s.Beta1*m[j]) + float32((1-s.Beta1)*d)
			v[j] = float32(s.Beta2*v[j]) + float32((1-s.Beta2)*d*d)
			step := m[j] * correct1 / (float32(math.Sqrt(float64(v[j]*correct2))) + s.Epsilon)
			if j < s.decayed[i] {
				step += float32(s.WeightDecay * w[j])
			}
			w[j] -= float32(s.Rate * step)
		}
		clear(g[from:])
	})
	return nil
}

// forEachPiece splits the elements of some arrays among the workers: f has
// those at from ≤ j < to of array i.
func forEachPiece(arrays [][]float32, workers int, f func(i, from, to int)) {
	const most = 1 << 14
	type piece struct{ i, from, to int }
	var pieces []piece
	for i, a := range arrays {
		for from := 0; from < len(a); from += most {
			pieces = append(pieces, piece{i, from, min(len(a), from+most)})
		}
	}
	parallel.For(len(pieces), workers, func(k int) { f(pieces[k].i, pieces[k].from, pieces[k].to) })
}
