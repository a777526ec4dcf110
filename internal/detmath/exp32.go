package detmath

import "math"

// Exp32 returns e to the power of x, rounded to 32 bits. It takes half the time of [Exp], because
// it does not divide, and because a processor can compute the parts of its sum in parallel.
//
// Exp32 writes x as k·ln 2 + r with an integer k and |r| ≤ ln 2 / 2. Then exp(x) is 2ᵏ·exp(r). For
// exp(r) it sums the first twelve terms of the exponential series. The relative error of this sum
// is below 1e-14.
func Exp32(x float32) float32 {
	// Between these limits, the result is a normal number: neither infinite nor subnormal.
	const least, most = -87, 88
	if !(x >= least && x <= most) {
		return float32(Exp(float64(x)))
	}
	const (
		c2, c3, c4, c5 = 1. / 2, 1. / 6, 1. / 24, 1. / 120
		c6, c7, c8, c9 = 1. / 720, 1. / 5040, 1. / 40320, 1. / 362880
		c10, c11       = 1. / 3628800, 1. / 39916800
	)
	k := (float64(float64(x)*math.Log2E) + exp32Round) - exp32Round
	r := float64(x) - float64(k*math.Ln2)
	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	low := (1 + r) + float64(r2*(c2+float64(c3*r)))
	middle := (c4 + float64(c5*r)) + float64(r2*(c6+float64(c7*r)))
	high := (c8 + float64(c9*r)) + float64(r2*(c10+float64(c11*r)))
	y := low + float64(r4*(middle+float64(r4*high)))
	return float32(y * math.Float64frombits(uint64(int64(k)+1023)<<52))
}

// exp32Round rounds numbers: adding it to a small number and then subtracting it rounds the number
// to an integer.
const exp32Round = 3 << 51

// Exp32s replaces each number in x with the result of [Exp32], bit for bit. With AVX2 or NEON it is
// several times faster than separate calls of Exp32.
func Exp32s(x []float32) {
	for len(x) > 0 {
		done := exp32Start(x)
		x = x[done:]
		// exp32Start stopped at numbers that it cannot compute: fewer than four at the end of x, or
		// four of which one is out of range. Compute these with Exp32.
		for i := range x[:min(4, len(x))] {
			x[i] = Exp32(x[i])
		}
		x = x[min(4, len(x)):]
	}
}

// exp32Constants holds the constants of Exp32 for the vector function exp32Vectors. Each row
// repeats one constant four times.
var exp32Constants = func() (table [17][4]float64) {
	for row, c := range [17]float64{
		math.Log2E, exp32Round, math.Ln2,
		math.Float64frombits(1023 << 52), // the exponent bits of 1
		math.Float64frombits(1<<63 - 1),  // all bits except the sign bit
		// The limit of |x| for exp32Vectors; beyond it, results may be subnormal or infinite.
		87,
		1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, // here and in the next line: 1/k! for k from 1 to 11
		1. / 720, 1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800,
	} {
		table[row] = [4]float64{c, c, c, c}
	}
	return table
}()
