package graph

import (
	"math"
	"testing"

	"gorgonia.org/gorgonia"
)

// Masked cross entropy by hand: logits 0, ln 3 and a large illegal one;
// target all on the first.
func TestPolicyLossByHand(t *testing.T) {
	p, loss, entropy := crossEntropy(nil, []float32{0, 1.0986123, 50}, []float32{1, 0, -1})
	wantEntropy := -(0.25*math.Log(0.25) + 0.75*math.Log(0.75))
	if math.Abs(loss-math.Log(4)) > 1e-6 || math.Abs(entropy-wantEntropy) > 1e-6 {
		t.Errorf("loss %v and entropy %v, want %v and %v", loss, entropy, math.Log(4), wantEntropy)
	}
	if len(p) != 2 || p[0].index != 0 || p[1].index != 1 || math.Abs(float64(p[0].probability)-0.25) > 1e-6 || math.Abs(float64(p[1].probability)-0.75) > 1e-6 {
		t.Errorf("softmax %v, want 1/4 and 3/4 of actions 0 and 1", p)
	}
}

// The value loss is the cross entropy of (1+tanh x)/2: ln 2 at x = 0, and
// finite where the network is sure and wrong.
func TestValueLossByHand(t *testing.T) {
	for _, c := range []struct{ x, z, want float64 }{
		{0, 1, math.Ln2}, {0, -1, math.Ln2}, {0, 0, math.Ln2},
		{0.5, 1, -math.Log((1 + math.Tanh(0.5)) / 2)},
		{0.5, -1, -math.Log((1 - math.Tanh(0.5)) / 2)},
		{-2, 0.5, -0.75*math.Log((1+math.Tanh(-2))/2) - 0.25*math.Log((1-math.Tanh(-2))/2)},
		{100, -1, 200}, {-100, 1, 200}, {100, 1, 0},
	} {
		g := gorgonia.NewGraph()
		x, z := input(g, "x", 1, 1), input(g, "z", 1, 1)
		data(x)[0], data(z)[0] = float32(c.x), float32(c.z)
		l := &rowLoss{rows: 1, batch: 1, loss: winLoss}
		loss, err := l.apply(x, z)
		if err != nil {
			t.Fatal(err)
		}
		m := gorgonia.NewTapeMachine(g)
		if err := m.RunAll(); err != nil {
			t.Fatal(err)
		}
		if got := float64(loss.Value().Data().(float32)); math.Abs(got-c.want) > 1e-5*(1+c.want) {
			t.Errorf("loss of %v for %v is %v, want %v", c.x, c.z, got, c.want)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The margin loss bends from a square into a line at an error of 1.
func TestHuberByHand(t *testing.T) {
	for _, c := range []struct{ x, z, loss, slope float64 }{
		{1, 1, 0, 0}, {0.5, 1, 0.125, -0.5}, {2, 1, 0.5, 1}, {4, 1, 2.5, 1}, {-3, 1, 3.5, -1},
	} {
		if loss, slope := huber(c.x, c.z); loss != c.loss || slope != c.slope {
			t.Errorf("huber(%v, %v) = %v, %v; want %v, %v", c.x, c.z, loss, slope, c.loss, c.slope)
		}
	}
}

// The loss of a value is the cross entropy of the win probability, finite even for ±1.
func TestWinLossOfValue(t *testing.T) {
	for _, v := range []float64{-1, -0.99, -0.3, 0, 0.5, 0.9999, 1} {
		for _, z := range []float64{-1, -0.2, 0, 1} {
			p := min(max((1+v)/2, 1e-6), 1-1e-6)
			want := -(1+z)/2*math.Log(p) - (1-z)/2*math.Log(1-p)
			if got := WinLoss(v, z); math.Abs(got-want) > 1e-9*max(1, want) {
				t.Errorf("value %v, target %v: %v, want %v", v, z, got, want)
			}
		}
	}
}
