package kernel

import (
	"math"
	"unsafe"
)

// Adam is the numbers of a step of Adam with decoupled weight decay (Loshchilov and
// Hutter 2019).
type Adam struct {
	Scale              float32 // the gradient is multiplied by it
	Beta1, Beta2       float32 // how much of the means stays
	Correct1, Correct2 float32 // what the means are multiplied by, because they began at zero
	Epsilon            float32
	Decay              float32 // of the weights, per unit of the rate
	Rate               float32 // the learning rate
	Share              float32 // of the new weights in their average
}

// Step moves the weights w down the gradient g, and updates the means m of the gradients
// and v of their squares, and the average of the weights. Every product, sum, quotient and root is rounded.
func (c Adam) Step(w, g, m, v, average []float32) {
	g, m, v, average = g[:len(w)], m[:len(w)], v[:len(w)], average[:len(w)]
	rest1, rest2 := 1-c.Beta1, 1-c.Beta2
	done := 0
	if vectors := len(w) / active.lanes; active.has(adamFunction) && vectors > 0 {
		constants := [...]float32{c.Scale, c.Beta1, rest1, c.Beta2, rest2, c.Correct1, c.Correct2, c.Epsilon, c.Decay, c.Rate, c.Share}
		a := vectorArgs{dst: at(w, 0), src: at(g, 0), mean: at(m, 0), square: at(v, 0), y: at(average, 0), constants: unsafe.Pointer(&constants), vectors: vectors}
		active.call(adamFunction, unsafe.Pointer(&a))
		done = vectors * active.lanes
	}
	for i := done; i < len(w); i++ {
		d := float32(g[i] * c.Scale)
		m[i] = float32(c.Beta1*m[i]) + float32(rest1*d)
		v[i] = float32(c.Beta2*v[i]) + float32(float32(rest2*d)*d)
		root := float32(math.Sqrt(float64(float32(v[i] * c.Correct2)))) // rounding twice does not matter to a root
		step := float32(m[i]*c.Correct1) / (root + c.Epsilon)
		step += float32(c.Decay * w[i])
		w[i] -= float32(c.Rate * step)
		average[i] += float32(c.Share * (w[i] - average[i]))
	}
}

// Add adds src to dst, element by element.
func Add(dst, src []float32) {
	src = src[:len(dst)]
	done := 0
	if vectors := len(dst) / active.lanes; active.has(addFunction) && vectors > 0 {
		a := vectorArgs{dst: at(dst, 0), src: at(src, 0), vectors: vectors}
		active.call(addFunction, unsafe.Pointer(&a))
		done = vectors * active.lanes
	}
	for i := done; i < len(dst); i++ {
		dst[i] += src[i]
	}
}

// Squares returns the sum of the squares of x. Each eighth element is added to the same
// one of eight sums, and these are added in order.
func Squares(x []float32) (sum float64) {
	var sums [8]float64
	done := 0
	if eights := len(x) / len(sums); active.has(squaresFunction) && eights > 0 {
		a := vectorArgs{src: at(x, 0), dst: unsafe.Pointer(&sums), vectors: eights}
		active.call(squaresFunction, unsafe.Pointer(&a))
		done = eights * len(sums)
	}
	for i, v := range x[done:] {
		sums[i%len(sums)] += float64(float64(v) * float64(v))
	}
	for _, s := range sums {
		sum += s
	}
	return sum
}
