package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Two boards of two cells and two channels, by hand; of equal maxima the first
// gets the gradient.
func TestPoolByHand(t *testing.T) {
	src := []float32{1, 5, 3, -1 /**/, 2, 0, 2, 4}
	dst, dsrc := make([]float32, 8), make([]float32, 8)
	Pool(dst, src, 2, 2, 2)
	if want := []float32{2, 2, 3, 5 /**/, 2, 2, 2, 4}; !slices.Equal(dst, want) {
		t.Errorf("pooled to %v, want %v", dst, want)
	}
	PoolGrad(dsrc, []float32{2, 4, 10, 20 /**/, 6, 8, 30, 40}, src, 2, 2, 2)
	if want := []float32{1, 22, 11, 2 /**/, 33, 4, 3, 44}; !slices.Equal(dsrc, want) {
		t.Errorf("gradient %v, want %v", dsrc, want)
	}
}

// The gradient agrees with finite differences.
func TestPoolGradAgainstFiniteDifferences(t *testing.T) {
	const boards, cells, channels, h = 3, 7, 5, 1e-2
	rng := rand.New(rand.NewPCG(1, 1))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	src, ddst := random(boards*cells*channels), random(2*boards*channels)
	grad, dst := make([]float32, len(src)), make([]float32, len(ddst))
	PoolGrad(grad, ddst, src, boards, cells, channels)
	loss := func() (sum float64) {
		Pool(dst, src, boards, cells, channels)
		for i, y := range dst {
			sum += float64(y) * float64(ddst[i])
		}
		return sum
	}
	for i, x := range src {
		src[i] = x + h
		up := loss()
		src[i] = x - h
		down := loss()
		src[i] = x
		if slope := (up - down) / (2 * h); math.Abs(slope-float64(grad[i])) > 1e-3 {
			t.Errorf("the loss changes by %v with input %d, the gradient says %v", slope, i, grad[i])
		}
	}
}
