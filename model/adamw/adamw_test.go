package adamw

import (
	"math"
	"math/rand/v2"
	"testing"

	"dojo.example/internal/parallel"

	"gorgonia.org/gorgonia"
)

// Without weight decay and gradient clipping, the Solver gives the same results as Gorgonia's Adam.
func TestAdamAgainstGorgonia(t *testing.T) {
	c := Config{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	const size = 50
	theirs := gorgonia.NewAdamSolver(gorgonia.WithLearnRate(0.01), gorgonia.WithBeta1(0.9), gorgonia.WithBeta2(0.999), gorgonia.WithEps(1e-8))
	rng := rand.New(rand.NewPCG(1, 1))
	a, b := newPair(size, rng)
	ours := New(c, []*Param{a}, parallel.NewTeam(1))
	ours.Rate = 0.01
	for range 20 {
		for i := range size {
			g := float32(rng.NormFloat64())
			a.Grads[i], b.Grads[i] = g, g
		}
		if err := ours.Step(ours.Params()); err != nil {
			t.Fatal(err)
		}
		if err := theirs.Step([]gorgonia.ValueGrad{b}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range size {
		if x, y := a.Values[i], b.Values[i]; math.Abs(float64(x-y)) > 3e-6 {
			t.Errorf("element %d: %v, Gorgonia's Adam has %v", i, x, y)
		}
	}
}

// newPair returns two parameters with the same random elements: n-1 weights and one bias.
func newPair(n int, rng *rand.Rand) (a, b *Param) {
	a, b = NewParam(n-1, 1), NewParam(n-1, 1)
	for i := range n {
		a.Values[i] = float32(rng.NormFloat64())
		b.Values[i] = a.Values[i]
	}
	return a, b
}

// ClipNorm scales the gradient down. Weight decay does not change biases.
func TestClipAndDecay(t *testing.T) {
	c := Config{Beta1: 0, Beta2: 0, Epsilon: 1e-8, ClipNorm: 1, WeightDecay: 0.5}
	p := NewParam(1, 1)
	s := New(c, []*Param{p}, parallel.NewTeam(1))
	s.Rate = 0.1
	copy(p.Values, []float32{1, 1})
	copy(p.Grads, []float32{3, 4})
	if err := s.Step(s.Params()); err != nil {
		t.Fatal(err)
	}
	// With Beta1 = Beta2 = 0, Adam's step is the learning rate times the sign of the gradient. So
	// the weight becomes 1 − 0.1·(1 + 0.5·1) = 0.85, and the bias becomes 1 − 0.1 = 0.9.
	got := p.Values
	if math.Abs(float64(got[0])-0.85) > 1e-6 || math.Abs(float64(got[1])-0.9) > 1e-6 || s.Norm != 5 {
		t.Errorf("stepped to %v with norm %v, want [0.85 0.9] and 5", got, s.Norm)
	}
	if math.Abs(float64(p.First[0])-0.6) > 1e-6 || math.Abs(float64(p.First[1])-0.8) > 1e-6 {
		t.Errorf("the gradient was scaled to %v, want [0.6 0.8]", p.First)
	}
	p.Grads[0] = float32(math.NaN())
	if err := s.Step(s.Params()); err == nil || s.Steps != 1 {
		t.Errorf("a gradient that is no number was a step: %v", err)
	}
}
