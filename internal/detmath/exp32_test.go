package detmath

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Exp32 is the exponential of package math rounded to 32 bits, but for ties
// that are too close to call.
func TestExp32(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	differ, n := 0, 2_000_000
	for i := range n {
		x := float32(rng.NormFloat64() * 8)
		if i%4 == 0 {
			x = -float32(rng.ExpFloat64())
		}
		got, want := Exp32(x), float32(math.Exp(float64(x)))
		if got == want {
			continue
		}
		differ++
		if math.Nextafter32(got, want) != want {
			t.Fatalf("Exp32(%v) is %v, want %v", x, got, want)
		}
	}
	if differ > n/100_000 {
		t.Errorf("%d of %d results differ in their last bit", differ, n)
	}
	for x, want := range map[float32]float32{0: 1, 1: math.E, -200: 0, 200: float32(math.Inf(1)), -87.5: float32(math.Exp(-87.5))} {
		if got := Exp32(x); got != want {
			t.Errorf("Exp32(%v) is %v, want %v", x, got, want)
		}
	}
	if x := Exp32(float32(math.NaN())); x == x {
		t.Errorf("Exp32 of no number is %v", x)
	}
}

func BenchmarkExp32(b *testing.B) {
	x, sum := float32(0), float32(0)
	for b.Loop() {
		sum += Exp32(x)
		if x -= 0.01; x < -10 {
			x = 0
		}
	}
	_ = sum
}
