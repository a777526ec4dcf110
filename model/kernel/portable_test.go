package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// fused computes x·y + z with arbitrary precision and rounds the result once.
func fused(x, y, z float32) float32 {
	exact := func(x float32) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(float64(x)) }
	sum := exact(x)
	sum.Mul(sum, exact(y)).Add(sum, exact(z))
	f, _ := sum.Float32()
	return f
}

// multiplyAdd rounds only once, even if the exact result is very close to halfway between two
// floats. If it rounded to 64 bits first, it could no longer tell on which side the exact result
// is.
func TestMultiplyAddRoundsOnce(t *testing.T) {
	const half, tiny = 1.0 / (1 << 24), 1.0 / (1 << 60)
	twice := func(x, y, z float32) float32 { return float32(float64(float64(x)*float64(y)) + float64(z)) }
	forgotten := 0
	for _, c := range [][3]float32{
		{1 + half*2, half, 1}, {half, 1, 1}, {-half, 1, 1}, {half, -1, -1},
		{tiny, half, 1}, {0, 1, 0}, {3, 5, -15}, {1e38, 10, 0}, {1e38, 10, -1e38},
		{math.SmallestNonzeroFloat32, 0.5, 0}, {-math.SmallestNonzeroFloat32, 0.5, 0},
	} {
		if got, want := multiplyAdd(c[0], c[1], c[2]), fused(c[0], c[1], c[2]); got != want {
			t.Errorf("%v·%v + %v is %v, want %v", c[0], c[1], c[2], got, want)
		}
	}
	// Each round tests two sums that are very close to halfway between two floats. In the first, z
	// is a normal float whose last bit has the value u, and the product is almost u/2: it is
	// (1+e)(1-e)·u/2 or (1+e)²·u/2, with either sign. The second does the same with subnormal
	// floats.
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		z := math.Float32frombits(1<<23+rng.Uint32N(1<<30)) * float32(1-2*rng.IntN(2))
		unit := math.Float32frombits(math.Float32bits(z)+1) - z
		small := math.Float32frombits(rng.Uint32N(1 << 23))
		e := float32(math.Ldexp(1, -12-rng.IntN(12)))
		x, y := (1+e)*float32(1-2*rng.IntN(2)), 1-e
		if rng.IntN(2) == 0 {
			y = 1 + e
		}
		const root = 1.0 / (1 << 75) // the square root of half the smallest float
		for _, v := range [][3]float32{{x * (unit / 2), y, z}, {x * root, y * root, small}} {
			got, want := multiplyAdd(v[0], v[1], v[2]), fused(v[0], v[1], v[2])
			if got != want {
				t.Fatalf("%v·%v + %v is %v, want %v", v[0], v[1], v[2], got, want)
			}
			if twice(v[0], v[1], v[2]) != want {
				forgotten++
			}
		}
	}
	if forgotten == 0 {
		t.Error("rounding twice is right everywhere here: this shows nothing")
	}
}

// The kernels of every level also round only once, in the same cases as TestMultiplyAddRoundsOnce.
// The test uses a layer with one input, which adds just one product to each bias.
func TestSumsRoundOnce(t *testing.T) {
	levels(t, func(t testing.TB) {
		const out = 61
		rng := rand.New(rand.NewPCG(2, 2))
		weight, bias, dst := make([]float32, out), make([]float32, out), make([]float32, out)
		for range 500 {
			e := float32(math.Ldexp(1, -12-rng.IntN(12)))
			x := (1 + e) * float32(1-2*rng.IntN(2))
			for o := range out {
				z := math.Float32frombits(1<<23+rng.Uint32N(1<<30)) * float32(1-2*rng.IntN(2))
				unit := math.Float32frombits(math.Float32bits(z)+1) - z
				weight[o], bias[o] = (1-e)*(unit/2), z
				if rng.IntN(2) == 0 {
					weight[o] = (1 + e) * (unit / 2)
				}
			}
			c := NewConv(1, 1, 1, out, 1)
			c.Pack(weight, bias)
			c.Run(dst, []float32{x}, nil, 1, false)
			for o, y := range dst {
				if want := fused(x, weight[o], bias[o]); y != want {
					t.Fatalf("%v·%v + %v is %v, want %v", x, weight[o], bias[o], y, want)
				}
			}
		}
	})
}
