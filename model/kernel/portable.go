package kernel

import "math"

// multiplyAdd is x·y + z, rounded once, as a fused multiply-add rounds it.
//
// In 64 bits the product is exact and the sum is rounded. To round that to 32
// bits is to round twice, which matters only where the first rounding has
// ended half way between two floats. The 28 lowest bits are zero there.
func multiplyAdd(x, y, z float32) float32 {
	product := float64(float64(x) * float64(y))
	sum := product + float64(z)
	if math.Float64bits(sum)<<36 != 0 {
		return float32(sum)
	}
	return roundOnce(product, float64(z), sum)
}

// roundOnce is float32(a+b) as if rounded only once, given their rounded sum:
// a sum that has lost something is moved one bit towards what it has lost,
// away from half way (Boldo and Melquiond 2008, rounding to odd).
func roundOnce(a, b, sum float64) float32 {
	bits, part := math.Float64bits(sum), sum-a
	switch lost := (a - (sum - part)) + (b - part); { // exact: Knuth's two-sum
	case lost > 0 && sum > 0 || lost < 0 && sum < 0:
		bits++
	case lost > 0 || lost < 0:
		bits--
	}
	return float32(math.Float64frombits(bits))
}
