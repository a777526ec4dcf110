package kernel

import (
	"math"
	"unsafe"
)

// Adam holds the constants for one step of Adam with decoupled weight decay (Loshchilov and Hutter
// 2019).
type Adam struct {
	Scale float32 // factor by which the gradient is multiplied
	// Weight of the old mean in the new mean: Beta1 for the gradients, Beta2 for their squares.
	Beta1, Beta2       float32
	Correct1, Correct2 float32 // factors to correct both means for their start at zero
	Epsilon            float32
	Decay              float32 // decay of the weights in a step with learning rate 1
	Rate               float32 // learning rate
	Share              float32 // weight of the new parameters in the running average
}

// Step takes one step: it changes the weights w against the direction of the gradient g. It also
// updates m (the means of the gradients), v (the means of their squares) and average (the running
// average of the weights). It rounds after every multiplication, addition, division and root.
func (c Adam) Step(w, g, m, v, average []float32) {
	g, m, v, average = g[:len(w)], m[:len(w)], v[:len(w)], average[:len(w)]
	rest1, rest2 := 1-c.Beta1, 1-c.Beta2
	constants := [...]float32{c.Scale, c.Beta1, rest1, c.Beta2, rest2, c.Correct1, c.Correct2, c.Epsilon, c.Decay, c.Rate, c.Share}
	done := vectors(adamFunction, active.lanes, len(w), vectorArgs{dst: at(w, 0), src: at(g, 0), mean: at(m, 0), square: at(v, 0), y: at(average, 0), constants: unsafe.Pointer(&constants)})
	for i := done; i < len(w); i++ {
		d := float32(g[i] * c.Scale)
		m[i] = float32(c.Beta1*m[i]) + float32(rest1*d)
		v[i] = float32(c.Beta2*v[i]) + float32(float32(rest2*d)*d)
		// Rounding a square root first to 64 and then to 32 bits gives the same result as rounding
		// it once.
		root := float32(math.Sqrt(float64(float32(v[i] * c.Correct2))))
		step := float32(m[i]*c.Correct1) / (root + c.Epsilon)
		step += float32(c.Decay * w[i])
		w[i] -= float32(c.Rate * step)
		average[i] += float32(c.Share * (w[i] - average[i]))
	}
}

// Add adds src to dst, element by element.
func Add(dst, src []float32) {
	src = src[:len(dst)]
	for i := vectors(addFunction, active.lanes, len(dst), vectorArgs{dst: at(dst, 0), src: at(src, 0)}); i < len(dst); i++ {
		dst[i] += src[i]
	}
}

// Squares returns the sum of the squares of x. It adds the square of element i to partial sum i mod
// 8, and at the end adds up the eight partial sums in order.
func Squares(x []float32) (sum float64) {
	var sums [8]float64
	done := vectors(squaresFunction, len(sums), len(x), vectorArgs{src: at(x, 0), dst: unsafe.Pointer(&sums)})
	for i, v := range x[done:] {
		sums[i%len(sums)] += float64(float64(v) * float64(v))
	}
	for _, s := range sums {
		sum += s
	}
	return sum
}

// ReLUGrad computes the gradient of a ReLU's input and writes it to dst. y is the ReLU's output,
// and dy is the gradient of y. The result is dy where y is positive, and 0 elsewhere. dst may be
// the same slice as dy.
func ReLUGrad(dst, dy, y []float32) {
	dst, y = dst[:len(dy)], y[:len(dy)]
	for i := vectors(reluFunction, active.lanes, len(dy), vectorArgs{dst: at(dst, 0), src: at(dy, 0), y: at(y, 0)}); i < len(dy); i++ {
		if y[i] > 0 {
			dst[i] = dy[i]
		} else {
			dst[i] = 0
		}
	}
}

// vectors runs the kernel f on arrays of n elements. The kernel processes atOnce elements at a
// time. vectors returns how many elements it has processed: n rounded down to a multiple of atOnce,
// or 0 if the level does not have the kernel.
func vectors(f function, atOnce, n int, a vectorArgs) (done int) {
	a.vectors = n / atOnce
	if a.vectors == 0 || !active.has(f) {
		return 0
	}
	whole := a.vectors * atOnce
	active.call(f, unsafe.Pointer(&a))
	return whole
}
