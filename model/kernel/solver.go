package kernel

import (
	"math"
	"unsafe"
)

// Adam holds the numbers of one step of Adam with decoupled weight decay (Loshchilov and Hutter
// 2019).
type Adam struct {
	Scale              float32 // factor of the gradient
	Beta1, Beta2       float32 // fraction of the old means that stays
	Correct1, Correct2 float32 // factors that correct the means for their start at zero
	Epsilon            float32
	Decay              float32 // decay of the weights, per unit of the learning rate
	Rate               float32 // learning rate
	Share              float32 // share of the new weights in their average
}

// Step moves the weights w down the gradient g. It updates m, the means of the gradients, v, the
// means of their squares, and the average of the weights. Step rounds every product, sum, quotient
// and root.
func (c Adam) Step(w, g, m, v, average []float32) {
	g, m, v, average = g[:len(w)], m[:len(w)], v[:len(w)], average[:len(w)]
	rest1, rest2 := 1-c.Beta1, 1-c.Beta2
	constants := [...]float32{c.Scale, c.Beta1, rest1, c.Beta2, rest2, c.Correct1, c.Correct2, c.Epsilon, c.Decay, c.Rate, c.Share}
	done := vectors(adamFunction, active.lanes, len(w), vectorArgs{dst: at(w, 0), src: at(g, 0), mean: at(m, 0), square: at(v, 0), y: at(average, 0), constants: unsafe.Pointer(&constants)})
	for i := done; i < len(w); i++ {
		d := float32(g[i] * c.Scale)
		m[i] = float32(c.Beta1*m[i]) + float32(rest1*d)
		v[i] = float32(c.Beta2*v[i]) + float32(float32(rest2*d)*d)
		root := float32(math.Sqrt(float64(float32(v[i] * c.Correct2)))) // rounding a square root twice gives the same result as rounding once
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

// Squares returns the sum of the squares of x. It adds every eighth element to the same one of
// eight sums, and then adds these sums in order.
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

// ReLUGrad writes the gradient before a ReLU to dst: dy where the output y is positive, otherwise
// 0. dst may be dy.
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

// vectors runs a kernel that processes arrays of n elements, atOnce elements at a time. It returns
// the number of elements processed: as many as form whole vectors, or none if the level lacks the
// kernel.
func vectors(f function, atOnce, n int, a vectorArgs) (done int) {
	a.vectors = n / atOnce
	if a.vectors == 0 || !active.has(f) {
		return 0
	}
	whole := a.vectors * atOnce
	active.call(f, unsafe.Pointer(&a))
	return whole
}
