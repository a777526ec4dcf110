package loss

import (
	"math"
	"testing"

	"dojo.example/engine"
	"dojo.example/model"
)

// TestPolicyLossByHand compares the cross entropy with a value calculated by hand, for the logits 0
// and ln 3 and a target of 1 for the first action.
func TestPolicyLossByHand(t *testing.T) {
	in := engine.Input{Legal: []engine.Action{5, 3}}
	in.EndRow()
	var l Policy
	grad := make([]float32, 2)
	s := l.Rows(grad, []float32{0, 1.0986123}, []float32{1, 0}, &in, 0, 1)
	wantEntropy := -(0.25*math.Log(0.25) + 0.75*math.Log(0.75))
	if math.Abs(s.Loss-math.Log(4)) > 1e-6 || math.Abs(s.Entropy-wantEntropy) > 1e-6 {
		t.Errorf("loss %v and entropy %v, want %v and %v", s.Loss, s.Entropy, math.Log(4), wantEntropy)
	}
	if math.Abs(float64(grad[0])+0.75) > 1e-6 || math.Abs(float64(grad[1])-0.75) > 1e-6 {
		t.Errorf("the gradient is %v, want -0.75 and 0.75", grad)
	}
}

// The value loss is the cross entropy of the win probability (1+tanh x)/2. It is ln 2 for x = 0,
// and finite even if the network is certain of the wrong outcome.
func TestValueLossByHand(t *testing.T) {
	for _, c := range []struct{ x, z, want float64 }{
		{0, 1, math.Ln2}, {0, -1, math.Ln2}, {0, 0, math.Ln2},
		{0.5, 1, -math.Log((1 + math.Tanh(0.5)) / 2)},
		{0.5, -1, -math.Log((1 - math.Tanh(0.5)) / 2)},
		{-2, 0.5, -0.75*math.Log((1+math.Tanh(-2))/2) - 0.25*math.Log((1-math.Tanh(-2))/2)},
		{100, -1, 200}, {-100, 1, 200}, {100, 1, 0},
	} {
		s := Rows(model.Win, make([]float32, 1), []float32{float32(c.x)}, []float32{float32(c.z)})
		if math.Abs(s.Loss-c.want) > 1e-5*(1+c.want) {
			t.Errorf("loss of %v for %v is %v, want %v", c.x, c.z, s.Loss, c.want)
		}
	}
}

// The margin loss is quadratic for errors up to 1 and linear for larger errors.
func TestHuberByHand(t *testing.T) {
	for _, c := range []struct{ x, z, loss, slope float64 }{
		{1, 1, 0, 0}, {0.5, 1, 0.125, -0.5}, {2, 1, 0.5, 1}, {4, 1, 2.5, 1}, {-3, 1, 3.5, -1},
	} {
		if loss, slope := huber(c.x, c.z); loss != c.loss || slope != c.slope {
			t.Errorf("huber(%v, %v) = %v, %v; want %v, %v", c.x, c.z, loss, slope, c.loss, c.slope)
		}
	}
}

// The loss of a value is the cross entropy of the win probability. It is finite even for the values
// 1 and -1.
func TestWinLossOfValue(t *testing.T) {
	for _, v := range []float64{-1, -0.99, -0.3, 0, 0.5, 0.9999, 1} {
		for _, z := range []float64{-1, -0.2, 0, 1} {
			p := min(max((1+v)/2, 1e-6), 1-1e-6)
			want := -(1+z)/2*math.Log(p) - (1-z)/2*math.Log(1-p)
			if got := Win(v, z); math.Abs(got-want) > 1e-9*max(1, want) {
				t.Errorf("value %v, target %v: %v, want %v", v, z, got, want)
			}
		}
	}
}
