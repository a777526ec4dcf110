package detmath

import "math"

// Exp32s replaces each number of x by its [Exp32], bit for bit. On processors with
// AVX2 or NEON it is several times as fast.
func Exp32s(x []float32) {
	for len(x) > 0 {
		done := exp32Start(x)
		x = x[done:]
		for i := range x[:min(4, len(x))] { // the rest, or a vector with a number out of range
			x[i] = Exp32(x[i])
		}
		x = x[min(4, len(x)):]
	}
}

// exp32Constants are the constants of Exp32 as vectors, for exp32Vectors.
var exp32Constants = func() (table [17][4]float64) {
	for row, c := range [17]float64{
		math.Log2E, exp32Round, math.Ln2,
		math.Float64frombits(1023 << 52),     // the exponent of 1
		math.Float64frombits(1<<63 - 1),      // all bits but the sign
		87,                                   // results of larger numbers may be subnormal or infinite
		1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, // 1/k! from 1 on
		1. / 720, 1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800,
	} {
		table[row] = [4]float64{c, c, c, c}
	}
	return table
}()
