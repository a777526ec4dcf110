package kernel

import "math"

// runPortable is Run in plain Go. Each sum takes its products in the order of the
// vector kernels, so that the bits are theirs: by row of taps, then by input
// channel, then by tap.
func (c *Conv) runPortable(dst, src, residual []float32, n int, floor float32) {
	for cell := range n * c.H * c.W {
		o := dst[cell*c.Out:][:c.Out]
		if residual == nil {
			copy(o, c.bias)
		} else {
			for k, r := range residual[cell*c.Out:][:c.Out] {
				o[k] = c.bias[k] + r
			}
		}
		tapRows(c.H, c.W, c.K, cell, func(tap, from, n int) {
			for in := range c.In {
				for i := range n {
					if v := src[(from+i)*c.In+in]; v != 0 {
						addProducts(o, c.weight[((tap+i)*c.In+in)*c.Out:], v)
					}
				}
			}
		})
		for k := range o {
			if !(o[k] > floor) { // as the kernels' maximum: floor for -0 and NaN
				o[k] = floor
			}
		}
	}
}

// gradPortable is addWeightGrad in plain Go: the sum of each weight takes its
// products board by board and cell by cell, as in the vector kernels.
func (c *Conv) gradPortable(dw, db, src, dout []float32, n int) {
	for cell := range n * c.H * c.W {
		g := dout[cell*c.Out:][:c.Out]
		if db != nil {
			Add(db, g)
		}
		tapRows(c.H, c.W, c.K, cell, func(tap, from, n int) {
			for i, v := range src[from*c.In:][:n*c.In] {
				if v != 0 {
					addProducts(dw[(tap*c.In+i)*c.Out:][:c.Out], g, v)
				}
			}
		})
	}
}

// tapRows visits the taps of a k×k convolution at one cell of some boards of h×w,
// cells counted over all of them. It calls f for each row of taps that is on the
// board: taps tap, …, tap+n-1, of 0 to k·k-1, read the cells from, …, from+n-1.
func tapRows(h, w, k, cell int, f func(tap, from, n int)) {
	y, x, r := cell/w%h, cell%w, k/2
	first, last := max(0, r-x), min(k, w+r-x)
	for ky := max(0, r-y); ky < min(k, h+r-y); ky++ {
		f(ky*k+first, cell+(ky-r)*w+first-r, last-first)
	}
}

// addProducts adds x·ys[i] to sums[i], for every i.
func addProducts(sums, ys []float32, x float32) {
	ys = ys[:len(sums)]
	for i, y := range ys {
		sums[i] = multiplyAdd(x, y, sums[i])
	}
}

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
