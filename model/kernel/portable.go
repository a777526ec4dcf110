package kernel

import "math"

// multiplyAdd returns x·y + z, rounded only once, like the fused instruction.
//
// In 64 bits, the product is exact and only the sum is rounded. The conversion to 32 bits rounds
// the sum a second time. This can give a wrong result only if the first rounding ends exactly
// halfway between two float32 numbers. In this case the 28 lowest bits of the sum are zero, so
// multiplyAdd calls roundOnce.
func multiplyAdd(x, y, z float32) float32 {
	product := float64(float64(x) * float64(y))
	sum := product + float64(z)
	if math.Float64bits(sum)<<36 != 0 {
		return float32(sum)
	}
	return roundOnce(product, float64(z), sum)
}

// roundOnce returns float32(a+b), rounded only once. sum is a+b, rounded to 64 bits. If this
// rounding changed the value, roundOnce first moves sum by one unit in its last place towards the
// exact value. Then sum is no longer halfway between two float32 numbers (rounding to odd, Boldo
// and Melquiond 2008).
func roundOnce(a, b, sum float64) float32 {
	bits, part := math.Float64bits(sum), sum-a
	// lost is the exact rounding error of sum, computed by Knuth's two-sum.
	switch lost := (a - (sum - part)) + (b - part); {
	case lost > 0 && sum > 0 || lost < 0 && sum < 0:
		bits++
	case lost > 0 || lost < 0:
		bits--
	}
	return float32(math.Float64frombits(bits))
}
