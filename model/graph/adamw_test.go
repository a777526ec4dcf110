package graph

import (
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Without decay and bound our Adam is Gorgonia's.
func TestAdamAgainstGorgonia(t *testing.T) {
	c := Config{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	const size = 50
	ours := NewAdamW(c, []int{size}, []int{size}, 1)
	ours.Rate = 0.01
	theirs := gorgonia.NewAdamSolver(gorgonia.WithLearnRate(0.01), gorgonia.WithBeta1(0.9), gorgonia.WithBeta2(0.999), gorgonia.WithEps(1e-8))
	rng := rand.New(rand.NewPCG(1, 1))
	a, b := newPair(size, rng)
	for range 20 {
		for i := range size {
			g := float32(rng.NormFloat64())
			a.g.Data().([]float32)[i], b.g.Data().([]float32)[i] = g, g
		}
		if err := ours.Step([]gorgonia.ValueGrad{a}); err != nil {
			t.Fatal(err)
		}
		if err := theirs.Step([]gorgonia.ValueGrad{b}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range size {
		if x, y := a.v.Data().([]float32)[i], b.v.Data().([]float32)[i]; math.Abs(float64(x-y)) > 3e-6 {
			t.Errorf("element %d: %v, Gorgonia's Adam has %v", i, x, y)
		}
	}
}

// pair is a parameter and its gradient.
type pair struct{ v, g *tensor.Dense }

func (p pair) Value() gorgonia.Value         { return p.v }
func (p pair) Grad() (gorgonia.Value, error) { return p.g, nil }

func newPair(n int, rng *rand.Rand) (a, b pair) {
	w := make([]float32, n)
	for i := range w {
		w[i] = float32(rng.NormFloat64())
	}
	of := func(w []float32) pair {
		return pair{tensor.New(tensor.WithShape(n, 1), tensor.WithBacking(append([]float32(nil), w...))),
			tensor.New(tensor.WithShape(n, 1), tensor.WithBacking(make([]float32, n)))}
	}
	return of(w), of(w)
}

// The bound scales the gradient and decay leaves biases alone.
func TestClipAndDecay(t *testing.T) {
	c := Config{Beta1: 0, Beta2: 0, Epsilon: 1e-8, ClipNorm: 1, WeightDecay: 0.5}
	s := NewAdamW(c, []int{2}, []int{1}, 1)
	s.Rate = 0.1
	p, _ := newPair(2, rand.New(rand.NewPCG(1, 1)))
	copy(p.v.Data().([]float32), []float32{1, 1})
	copy(p.g.Data().([]float32), []float32{3, 4})
	if err := s.Step([]gorgonia.ValueGrad{p}); err != nil {
		t.Fatal(err)
	}
	// Without memory Adam's step is the sign: 1 − 0.1·(1 + 0.5·1) and 1 − 0.1.
	got := p.v.Data().([]float32)
	if math.Abs(float64(got[0])-0.85) > 1e-6 || math.Abs(float64(got[1])-0.9) > 1e-6 || s.norm != 5 {
		t.Errorf("stepped to %v with norm %v, want [0.85 0.9] and 5", got, s.norm)
	}
	if math.Abs(float64(s.first[0][0])-0.6) > 1e-6 || math.Abs(float64(s.first[0][1])-0.8) > 1e-6 {
		t.Errorf("the gradient was scaled to %v, want [0.6 0.8]", s.first[0])
	}
	p.g.Data().([]float32)[0] = float32(math.NaN())
	if err := s.Step([]gorgonia.ValueGrad{p}); err == nil || s.Steps != 1 {
		t.Errorf("a gradient that is no number was a step: %v", err)
	}
}
