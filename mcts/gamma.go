package mcts

import (
	"math"
	"math/rand/v2"

	"dojo.example/internal/detmath"
)

// gamma draws a number from the gamma distribution of shape alpha and scale 1, by the
// method of Marsaglia and Tsang 2000, with their boost for alpha below 1.
func gamma(rng *rand.Rand, alpha float64) float64 {
	boost := 1.0
	if alpha < 1 {
		boost = detmath.Pow(rng.Float64(), 1/alpha)
		alpha++
	}
	d := alpha - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := detmath.Normal(rng)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := rng.Float64()
		if u < 1-float64(0.0331*(x*x)*(x*x)) { // implies what follows, and holds nearly always
			return boost * d * v
		}
		if detmath.Log(u) < float64(x*x/2)+d-float64(d*v)+float64(d*detmath.Log(v)) {
			return boost * d * v
		}
	}
}
