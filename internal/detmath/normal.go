package detmath

import (
	"math"
	"math/rand/v2"
)

// Normal returns a normally distributed number with mean 0 and standard deviation 1. It replaces
// rng.NormFloat64, whose bits depend on the processor.
//
// It uses the polar method of Marsaglia and Bray (1964), which generates a random point in the unit
// disc. The point's direction and its squared distance s from the centre are uniformly distributed
// and independent of each other.
func Normal(rng *rand.Rand) float64 {
	for {
		u, v := float64(rng.Float64())-0.5, float64(rng.Float64())-0.5
		if s := 4 * (times(u, u) + times(v, v)); s > 0 && s < 1 {
			// Since u is half a coordinate of the point, this is (2u)·√(-2·log(s)/s).
			return u * math.Sqrt(-8*Log(s)/s)
		}
	}
}
