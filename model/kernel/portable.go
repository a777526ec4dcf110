package kernel

import "math"

// multiplyAdd returns x·y + z, rounded once like a fused multiply-add.
//
// In 64 bits the product is exact, and the sum is rounded. Rounding this sum to 32 bits rounds
// twice. The second rounding can go wrong only if the first one ends half way between two floats,
// where the 28 lowest bits are zero.
func multiplyAdd(x, y, z float32) float32 {
	product := float64(float64(x) * float64(y))
	sum := product + float64(z)
	if math.Float64bits(sum)<<36 != 0 {
		return float32(sum)
	}
	return roundOnce(product, float64(z), sum)
}

// roundOnce returns float32(a+b) as if rounded only once. sum is a+b rounded to 64 bits. If sum is
// not exact, roundOnce moves it one bit towards the exact value, away from half way (Boldo and
// Melquiond 2008, rounding to odd).
func roundOnce(a, b, sum float64) float32 {
	bits, part := math.Float64bits(sum), sum-a
	switch lost := (a - (sum - part)) + (b - part); { // the exact rounding error, by Knuth's two-sum
	case lost > 0 && sum > 0 || lost < 0 && sum < 0:
		bits++
	case lost > 0 || lost < 0:
		bits--
	}
	return float32(math.Float64frombits(bits))
}
