package detmath

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Exp32 returns math.Exp rounded to 32 bits. Only if math.Exp lies almost exactly between two
// 32-bit numbers, Exp32 may return the other one.
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

// Exp32s returns the same bits as Exp32, for slices of any length, with and without numbers that
// are out of range.
func TestExp32s(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	strange := []float32{-86.99, -87, -87.01, 87, 88, 88.5, 200, -200, 0, float32(math.Inf(-1)), float32(math.Inf(1)), float32(math.NaN()), -1e-30}
	for n := range 5000 {
		x := make([]float32, n%70)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * 20)
			if rng.IntN(20) == 0 {
				x[i] = strange[rng.IntN(len(strange))]
			}
		}
		got := append(slices.Clone(x), 7)
		Exp32s(got[:len(x)])
		for i, v := range x {
			if want := Exp32(v); math.Float32bits(got[i]) != math.Float32bits(want) && want == want {
				t.Fatalf("exponential %d of %d, of %v, is %v, want %v", i, len(x), v, got[i], want)
			}
		}
		if got[len(x)] != 7 {
			t.Fatal("a number behind the last is changed")
		}
	}
}

func BenchmarkExp32s(b *testing.B) {
	x := make([]float32, 200)
	for b.Loop() {
		for i := range x {
			x[i] = -float32(i) / 20
		}
		Exp32s(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/exp")
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
