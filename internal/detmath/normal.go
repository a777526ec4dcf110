package detmath

import (
	"math"
	"math/rand/v2"
)

// Normal returns a normally distributed number with mean 0 and standard deviation 1. It replaces
// rng.NormFloat64, whose bits depend on the processor.
//
// The method is the polar method of Marsaglia and Bray 1964: a uniform point of the unit disc has a
// uniform direction and a uniform squared radius s.
func Normal(rng *rand.Rand) float64 {
	for {
		u, v := float64(rng.Float64())-0.5, float64(rng.Float64())-0.5
		if s := 4 * (times(u, u) + times(v, v)); s > 0 && s < 1 {
			return u * math.Sqrt(-8*Log(s)/s) // (2u)·√(-2·log(s)/s)
		}
	}
}
