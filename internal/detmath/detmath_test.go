package detmath

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A function is a test case: the test compares a function of package detmath (ours) with the
// function of package math that computes the same (its), for random arguments between low and high.
type function struct {
	name      string
	ours, its func(float64) float64
	low, high float64
	ulps      uint64 // largest allowed difference, in units in the last place
}

var functions = []function{
	{"Exp", Exp, math.Exp, -745, 709, 2},
	{"Exp near 0", Exp, math.Exp, -1, 1, 2},
	{"Log", Log, math.Log, 0, 1e9, 2},
	{"Log near 1", Log, math.Log, 0.5, 2, 2},
	{"Log1p", Log1p, math.Log1p, -0.999, 10, 2},
	{"Log1p near 0", Log1p, math.Log1p, -1e-3, 1e-3, 2},
	{"Tanh", Tanh, math.Tanh, -25, 25, 2},
	{"Tanh near 0", Tanh, math.Tanh, -0.7, 0.7, 2},
	{"square root by Pow", func(x float64) float64 { return Pow(x, 0.5) }, math.Sqrt, 0, 100, 2},
	{"Pow", func(x float64) float64 { return Pow(x, 3.7) }, func(x float64) float64 { return math.Pow(x, 3.7) }, 0, 10, 8},
	{"Pow of 0.999", func(x float64) float64 { return Pow(0.999, x) }, func(x float64) float64 { return math.Pow(0.999, x) }, -3000, 3000, 8},
}

// apart returns by how many units in the last place a and b differ. The numbers must have the same
// sign.
func apart(a, b float64) uint64 {
	x, y := math.Float64bits(a), math.Float64bits(b)
	return max(x, y) - min(x, y)
}

func TestAgainstMath(t *testing.T) {
	for _, f := range functions {
		rng := rand.New(rand.NewPCG(1, 1))
		var worst uint64
		for range 200_000 {
			x := f.low + (f.high-f.low)*rng.Float64()
			got, want := f.ours(x), f.its(x)
			if d := apart(got, want); d > f.ulps {
				t.Fatalf("%s of %v is %v, math says %v: %d ulp", f.name, x, got, want, d)
			} else {
				worst = max(worst, d)
			}
		}
		t.Logf("%s: at most %d ulp from math's", f.name, worst)
	}
}

func TestCos(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 200_000 {
		x := float64(i) / 20_000 * math.Pi
		if i%2 == 1 {
			x = 1000 * rng.NormFloat64()
		}
		if got, want := Cos(x), math.Cos(x); math.Abs(got-want) > 2.3e-16 {
			t.Fatalf("Cos(%v) is %v, math says %v", x, got, want)
		}
	}
	if Cos(0) != 1 || Cos(math.Pi) != -1 {
		t.Errorf("Cos of 0 and π are %v and %v", Cos(0), Cos(math.Pi))
	}
}

// TestSpecialValues checks results at and beyond the ends of the functions' ranges. It does not
// compare them with package math, because on amd64 the assembly of math.Exp returns infinity from
// 709.4 on, and the assembly of math.Log is wrong below 2^-1022.
func TestSpecialValues(t *testing.T) {
	inf, nan, tiny := math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64
	minusZero := math.Copysign(0, -1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Exp(0)", Exp(0), 1}, {"Exp(-0)", Exp(minusZero), 1}, {"Exp(tiny)", Exp(tiny), 1},
		{"Exp(∞)", Exp(inf), inf}, {"Exp(-∞)", Exp(-inf), 0}, {"Exp(NaN)", Exp(nan), nan},
		{"Exp(710)", Exp(710), inf}, {"Exp(-746)", Exp(-746), 0},
		{"Exp(-745)", Exp(-745), tiny}, {"Exp(709.75)", Exp(709.75), 1.7398368732641605e+308}, {"Exp(-740)", Exp(-740), 4.2e-322},
		{"Log(0)", Log(0), -inf}, {"Log(-0)", Log(minusZero), -inf}, {"Log(1)", Log(1), 0},
		{"Log(-1)", Log(-1), nan}, {"Log(∞)", Log(inf), inf}, {"Log(-∞)", Log(-inf), nan}, {"Log(NaN)", Log(nan), nan},
		{"Log(tiny)", Log(tiny), -744.4400719213812}, {"Log(2)", Log(2), math.Ln2},
		{"Log1p(0)", Log1p(0), 0}, {"Log1p(-0)", Log1p(minusZero), minusZero}, {"Log1p(1e-300)", Log1p(1e-300), 1e-300},
		{"Log1p(-1)", Log1p(-1), -inf}, {"Log1p(-2)", Log1p(-2), nan}, {"Log1p(∞)", Log1p(inf), inf}, {"Log1p(NaN)", Log1p(nan), nan},
		{"Tanh(0)", Tanh(0), 0}, {"Tanh(-0)", Tanh(minusZero), minusZero}, {"Tanh(∞)", Tanh(inf), 1},
		{"Tanh(-∞)", Tanh(-inf), -1}, {"Tanh(NaN)", Tanh(nan), nan}, {"Tanh(30)", Tanh(30), 1}, {"Tanh(1e-300)", Tanh(1e-300), 1e-300},
		{"Pow(0, 0)", Pow(0, 0), 1}, {"Pow(NaN, 0)", Pow(nan, 0), 1}, {"Pow(1, NaN)", Pow(1, nan), 1},
		{"Pow(0, 2)", Pow(0, 2), 0}, {"Pow(0, -2)", Pow(0, -2), inf}, {"Pow(-1, 2)", Pow(-1, 2), nan},
		{"Pow(∞, 2)", Pow(inf, 2), inf}, {"Pow(∞, -2)", Pow(inf, -2), 0}, {"Pow(2, ∞)", Pow(2, inf), inf},
		{"Pow(2, -∞)", Pow(2, -inf), 0}, {"Pow(½, ∞)", Pow(0.5, inf), 0}, {"Pow(2, NaN)", Pow(2, nan), nan}, {"Pow(NaN, 2)", Pow(nan, 2), nan},
		{"Pow(2, 10)", Pow(2, 10), 1024}, {"Pow(10, -2)", Pow(10, -2), 0.01}, {"Pow(1e300, 2)", Pow(1e300, 2), inf},
		{"Pow(1e-300, 2)", Pow(1e-300, 2), 0}, {"Pow(0.3, 1)", Pow(0.3, 1), 0.3}, {"Pow(0.9, 1e6)", Pow(0.9, 1e6), 0},
		{"Cos(∞)", Cos(inf), nan}, {"Cos(NaN)", Cos(nan), nan},
	} {
		if math.Float64bits(c.got) != math.Float64bits(c.want) && !(c.got != c.got && c.want != c.want) {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

// The mean, variance, skew and kurtosis of the numbers that Normal returns are close to the values
// of the normal distribution.
func TestNormal(t *testing.T) {
	const n = 1_000_000
	rng := rand.New(rand.NewPCG(1, 1))
	var normal [5]float64
	for range n {
		x := Normal(rng)
		for k := range normal {
			normal[k] += math.Pow(x, float64(k)) / n
		}
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"the mean of Normal", normal[1], 0}, {"its variance", normal[2], 1},
		{"its skew", normal[3], 0}, {"its kurtosis", normal[4], 3},
	} {
		if math.Abs(c.got-c.want) > 0.02 {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestBits hashes the results of all functions and compares the hash with the expected one. The
// script .ci/run runs this test on every kind of processor.
func TestBits(t *testing.T) {
	h := sha256.New()
	rng := rand.New(rand.NewPCG(2, 2))
	add := func(x float64) {
		if err := binary.Write(h, binary.LittleEndian, math.Float64bits(x)); err != nil {
			t.Fatal(err)
		}
	}
	for range 20_000 {
		for _, f := range functions {
			add(f.ours(f.low + float64((f.high-f.low)*rng.Float64())))
		}
		add(Cos(100 * rng.Float64()))
		add(Normal(rng))
		add(-Log(1 - float64(rng.Float64())))
	}
	const want = "e3c4dc440a847ec8"
	if got := fmt.Sprintf("%x", h.Sum(nil))[:16]; got != want {
		t.Errorf("the functions' bits have hash %s, want %s", got, want)
	}
}

var sink float64

func BenchmarkExp(b *testing.B) {
	xs := make([]float64, 1024)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range xs {
		xs[i] = -10 * rng.Float64()
	}
	for _, f := range functions[:1] {
		b.Run("ours", func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				sink += f.ours(xs[i%1024])
			}
		})
		b.Run("math", func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				sink += f.its(xs[i%1024])
			}
		})
	}
}
