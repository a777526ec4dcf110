package kernel

import "math"

// Adam is the numbers of a step of Adam with decoupled weight decay (Loshchilov and
// Hutter 2019).
type Adam struct {
	Scale              float32 // the gradient is multiplied by it
	Beta1, Beta2       float32 // how much of the means stays
	Correct1, Correct2 float32 // what the means are multiplied by, because they began at zero
	Epsilon            float32
	Decay              float32 // of the weights, per unit of the rate
	Rate               float32 // the learning rate
}

// Step moves the weights w down the gradient g, and updates the means m of the gradients
// and v of their squares. Every product, sum, quotient and root is rounded.
func (c Adam) Step(w, g, m, v []float32) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	a := adamArgs{
		scale: c.Scale, beta1: c.Beta1, rest1: 1 - c.Beta1, beta2: c.Beta2, rest2: 1 - c.Beta2,
		correct1: c.Correct1, correct2: c.Correct2, epsilon: c.Epsilon, decay: c.Decay, rate: c.Rate,
	}
	done := 0
	if a.vectors = len(w) / active.lanes(); active.trains() && a.vectors > 0 {
		a.w, a.g, a.m, a.v = at(w, 0), at(g, 0), at(m, 0), at(v, 0)
		active.adam(&a)
		done = a.vectors * active.lanes()
	}
	for i := done; i < len(w); i++ {
		d := float32(g[i] * a.scale)
		m[i] = float32(a.beta1*m[i]) + float32(a.rest1*d)
		v[i] = float32(a.beta2*v[i]) + float32(float32(a.rest2*d)*d)
		root := float32(math.Sqrt(float64(float32(v[i] * a.correct2)))) // rounding twice does not matter to a root
		step := float32(m[i]*a.correct1) / (root + a.epsilon)
		step += float32(a.decay * w[i])
		w[i] -= float32(a.rate * step)
	}
}

// Add adds src to dst, element by element.
func Add(dst, src []float32) {
	src = src[:len(dst)]
	done := 0
	if vectors := len(dst) / active.lanes(); active.trains() && vectors > 0 {
		active.add(&addArgs{dst: at(dst, 0), src: at(src, 0), vectors: vectors})
		done = vectors * active.lanes()
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
	if eights := len(x) / len(sums); active.trains() && eights > 0 {
		active.squares(&squaresArgs{src: at(x, 0), sums: &sums, vectors: eights})
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
