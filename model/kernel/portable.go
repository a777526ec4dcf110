package kernel

// runPortable is Run for every processor and every width of board.
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
		taps(c.H, c.W, c.K, cell, func(tap, from int) {
			for in, v := range src[from*c.In:][:c.In] {
				if v == 0 {
					continue
				}
				for k, w := range c.weight[(tap*c.In+in)*c.Out:][:c.Out] {
					// Products are exact in 64 bits: rounded once, as in the
					// kernels' fused multiply-adds.
					o[k] = float32(float64(v)*float64(w) + float64(o[k]))
				}
			}
		})
		for k := range o {
			o[k] = max(floor, o[k])
		}
	}
}

// gradPortable is the weight gradient for every processor.
func (c *Conv) gradPortable(dw, db, src, dout []float32, n int) {
	for cell := range n * c.H * c.W {
		g := dout[cell*c.Out:][:c.Out]
		for k, d := range g {
			db[k] += d
		}
		taps(c.H, c.W, c.K, cell, func(tap, from int) {
			for in, v := range src[from*c.In:][:c.In] {
				if v == 0 {
					continue
				}
				for k, d := range g {
					dw[(tap*c.In+in)*c.Out+k] += v * d
				}
			}
		})
	}
}

// taps calls f for every tap of a convolution of size k at a cell that is on
// the board of h×w, with the cell that it reads.
func taps(h, w, k, cell int, f func(tap, from int)) {
	y, x := cell/w%h, cell%w
	r := k / 2
	for tap := range k * k {
		dy, dx := tap/k-r, tap%k-r
		if y+dy >= 0 && y+dy < h && x+dx >= 0 && x+dx < w {
			f(tap, cell+dy*w+dx)
		}
	}
}
