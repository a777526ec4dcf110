package detmath

import (
	"math"
	"math/rand/v2"
)

// Normal draws from the normal distribution of mean 0 and deviation 1. It
// stands for rng.NormFloat64, which adds products.
//
// The polar method of Marsaglia and Bray 1964: a point drawn from the unit
// disc has a uniform direction and a uniform squared radius, here s.
func Normal(rng *rand.Rand) float64 {
	for {
		u, v := float64(rng.Float64())-0.5, float64(rng.Float64())-0.5
		if s := 4 * (times(u, u) + times(v, v)); s > 0 && s < 1 {
			return u * math.Sqrt(-8*Log(s)/s) // (2u)·√(-2·log(s)/s)
		}
	}
}

// Exponential draws from the exponential distribution of mean 1. It stands for
// rng.ExpFloat64.
func Exponential(rng *rand.Rand) float64 { return -Log(1 - float64(rng.Float64())) }
