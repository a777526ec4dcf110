package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The kernels of the optimiser are bit-identical to portable Go, for arrays of every length up to
// 69.
func TestSolverBits(t *testing.T) {
	c := Adam{Scale: 0.7, Beta1: 0.9, Beta2: 0.999, Correct1: 1.7, Correct2: 31, Epsilon: 1e-8, Decay: 0.01, Rate: 0.003, Share: 0.3}
	var want [][]float32
	levels(t, func(t testing.TB) {
		rng := rand.New(rand.NewPCG(8, 8))
		var got [][]float32
		for n := range 70 {
			w, g, m, v, average := random(rng, n), random(rng, n), random(rng, n), random(rng, n), random(rng, n)
			for i := range v {
				v[i] *= v[i]
			}
			c.Step(w, g, m, v, average)
			sum := slices.Clone(w)
			Add(sum, g)
			bits := math.Float64bits(Squares(g))
			got = append(got, w, m, v, average, sum, []float32{math.Float32frombits(uint32(bits)), math.Float32frombits(uint32(bits >> 32))})
		}
		if want == nil {
			want = got // portable Go is tested first, so its result is the reference
		}
		for i := range want {
			for j := range want[i] {
				if math.Float32bits(got[i][j]) != math.Float32bits(want[i][j]) {
					t.Fatalf("%d elements, result %d: element %d is %v, in portable Go %v", i/6, i%6, j, got[i][j], want[i][j])
				}
			}
		}
	})
}

// TestSolverByHand compares one step of Adam and a sum of squares with results computed by hand.
func TestSolverByHand(t *testing.T) {
	w, g, m, v, average := []float32{2}, []float32{3}, []float32{1}, []float32{4}, []float32{10}
	// Computed by hand: m = 0.5·1 + 0.5·3, v = 0.75·4 + 0.25·9, w = 2 − 0.1·(2·m/√(4·v) + 0.5·2).
	Adam{Scale: 1, Beta1: 0.5, Beta2: 0.75, Correct1: 2, Correct2: 4, Decay: 0.5, Rate: 0.1, Share: 0.25}.Step(w, g, m, v, average)
	if want := 2 - 0.1*(4/math.Sqrt(21)+1); m[0] != 2 || v[0] != 5.25 || math.Abs(float64(w[0])-want) > 1e-6 {
		t.Errorf("mean %v, mean of squares %v, weight %v; want 2, 5.25, %v", m[0], v[0], w[0], want)
	}
	if want := 10 + 0.25*(w[0]-10); average[0] != want {
		t.Errorf("the average is %v, want %v", average[0], want)
	}
	if got := Squares([]float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}); got != 385 {
		t.Errorf("the squares of 1 to 10 sum to %v, not 385", got)
	}
}
